import type { Client } from '@tallystick/client'
import type { Address } from 'viem'

/** What a claim paid, in the token's smallest unit. */
export type Claim = {
  readonly totalIncome: bigint
  /** The partner's share of the income. */
  readonly fee: bigint
  /** Unix seconds. */
  readonly timestamp: bigint
  readonly transactionHash: string
  /** Account that received principal and income. */
  readonly beneficiary: string
}

type Fields = 'tokenId' | 'totalIncome' | 'fee' | 'claimTimestamp' | 'claimTransactionHash' | 'claimBeneficiary'
type Row = Readonly<Record<Fields, string | null>>

// The most that a subgraph returns at once.
const pageSize = 1_000
// A wallet with more claims shows the newest. 10 pages are 10 requests.
const pagesMax = 10

const query = `query FetchClaims($owner: Bytes!, $below: BigInt!) {
  positionInfos(first: ${pageSize}, orderBy: tokenId, orderDirection: desc,
    where: { currentOwner: $owner, status: "Claimed", tokenId_lt: $below }) {
    tokenId totalIncome fee claimTimestamp claimTransactionHash claimBeneficiary
  }
}`

/**
 * Fetches what the claimed positions of an address on a chain paid, by token id. What cannot be read is missing: the
 * subgraph may not have these fields.
 */
export async function fetchClaims(
  client: Client,
  { address, chain, signal }: { readonly address: Address; readonly chain: number; readonly signal: AbortSignal },
): Promise<ReadonlyMap<bigint, Claim>> {
  const claims = new Map<bigint, Claim>()
  let below = String(2n ** 256n)
  for (let page = 0; page < pagesMax; page++) {
    const variables = { owner: address.toLowerCase(), below }
    const request = { query, variables, chains: [chain], signal }
    const results = await client.data<{ readonly positionInfos: readonly Row[] }>(request).catch(() => [])
    const rows = results[0]?.data?.positionInfos ?? []
    for (const row of rows) {
      const { tokenId, totalIncome, fee, claimTimestamp, claimTransactionHash, claimBeneficiary } = row
      if (tokenId === null || totalIncome === null || fee === null || claimTimestamp === null) continue
      claims.set(BigInt(tokenId), {
        ...{ totalIncome: BigInt(totalIncome), fee: BigInt(fee), timestamp: BigInt(claimTimestamp) },
        ...{ transactionHash: claimTransactionHash ?? '', beneficiary: claimBeneficiary ?? '' },
      })
    }
    const last = rows.at(-1)?.tokenId
    if (rows.length < pageSize || !last) break
    below = last
  }
  return claims
}
