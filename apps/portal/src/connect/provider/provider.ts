/** The part of an EIP-1193 provider that the page uses. */
export type Provider = {
  request(request: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  on?(event: string, listener: (value: unknown) => void): unknown
  removeListener?(event: string, listener: (value: unknown) => void): unknown
}

/** Wallet of the visitor's browser. */
export type BrowserWallet = {
  /** Unique in this page. */
  readonly id: string
  readonly name: string
  /** Image as a data URI. Undefined if the wallet has none or one from elsewhere. */
  readonly icon: string | undefined
  readonly provider: Provider
  /** Whether its transactions need the signatures of several owners, so that their hash is known long before they are sent. */
  readonly hasOwners?: boolean | undefined
}
