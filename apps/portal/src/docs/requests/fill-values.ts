/** Values of this service in a guide. */
export type GuideValues = { readonly chainId: number; readonly wallet: string }

/** Replaces `{{chainid}}` and `{{wallet}}` by values of this service. */
export function fillValues(text: string, { chainId, wallet }: GuideValues): string {
  return text.replaceAll('{{chainid}}', String(chainId)).replaceAll('{{wallet}}', wallet)
}
