import { type Answer, createKey, type TestService } from './harness.ts'

/** The query of the specification, as its example has it (SPEC.md §4.2). */
export const positionQuery = `query FetchAllPositions($walletAddress: Bytes!) {
  positionInfos(where: { currentOwner: $walletAddress }, orderBy: tokenId, orderDirection: desc) {
    tokenId
    owner: currentOwner
    initalOwner
    initiator
    coupon
    principal
    lendTimestamp
    maturityTimestamp
    partnerFeeBPS
    partnerId
    status
    lendTransactionHash
  }
}`

export type PostData = (body: unknown, options?: PostOptions) => Promise<Answer>

export type PostOptions = {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends bodies to `/data` with a key of their own, text as it is and anything else as JSON. */
export async function createPostData(service: TestService): Promise<PostData> {
  const { secret } = await createKey(service, { scopes: ['data'] })
  return (body, { path = '/data', headers } = {}) =>
    service.call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': secret, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
}
