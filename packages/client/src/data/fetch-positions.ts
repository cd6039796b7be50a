import type { PositionTerms } from '@tallystick/core'
import type { Address, Hex } from 'viem'
import { decodeHex, decodeInteger, decodeMember, decodeString, type Place } from '../decode/decode.ts'
import type { Connection } from '../http/connection.ts'
import type { ChainError } from './query-data.ts'
import { type PagedList, readList } from './read-pages.ts'

/**
 * Dollars lent to a pool, held as a token. It can be passed to `fixedIncome`, `floatingIncome` and `claimability`. The pool
 * accepts a claim from `maturityTimestamp` on, but a claim before the UTC day of the maturity is reported loses income for
 * good: `claimability` tells.
 */
export type Position = PositionTerms & {
  readonly tokenId: bigint
  /** Holder of the token; after a claim, its last holder. */
  readonly owner: Address
  /** First holder. The subgraph spells it `initalOwner`. */
  readonly initialOwner: Address
  /** Sender of the lend, who paid the principal. */
  readonly initiator: Address
  /** The partner's share of the income, in basis points. */
  readonly partnerFeeBPS: bigint
  /** 32 zero bytes if there is no partner. */
  readonly partnerId: Hex
  readonly status: 'Active' | 'Claimed' | (string & Record<never, never>)
  readonly lendTransactionHash: Hex
}

/** All positions of a wallet on one chain, or why they are not available. */
export type ChainPositions = { readonly chain: number } & (
  | {
      readonly positions: readonly Position[]
      /** True while the index is known to be incomplete: positions may be missing until it is repaired. */
      readonly hasErrors?: true | undefined
      readonly errors?: undefined
    }
  | { readonly positions: null; readonly errors: readonly ChainError[] }
)

export const positionList: PagedList<Position> = {
  name: 'positionInfos',
  operation: 'FetchAllPositions',
  variables: '$walletAddress: Bytes!, $below: BigInt!',
  where: '{ currentOwner: $walletAddress, tokenId_lt: $below }',
  orderBy: 'tokenId',
  fields: `tokenId owner: currentOwner initalOwner initiator coupon principal
    lendTimestamp maturityTimestamp partnerFeeBPS partnerId status lendTransactionHash`,
  decodeRow: decodePosition,
  cursorOf: ({ tokenId }) => tokenId,
  // Above every uint256.
  aboveAll: 2n ** 256n,
  encodeCursor: String,
}

export async function fetchPositions(
  connection: Connection,
  options: { readonly wallet: Address; readonly chains: readonly number[]; readonly signal?: AbortSignal | undefined },
): Promise<readonly ChainPositions[]> {
  const { wallet, chains, signal } = options
  const variables = { walletAddress: wallet.toLowerCase() }
  const results = await readList(connection, { list: positionList, variables, chains, signal })
  return results.map(({ chain, value, hasErrors, errors }) =>
    errors ? { chain, positions: null, errors } : { chain, positions: value, ...(hasErrors && { hasErrors }) },
  )
}

function decodePosition(place: Place): Position {
  const integer = (name: string) => decodeInteger(decodeMember(place, name))
  const hex = (name: string, bytes: number) => decodeHex(decodeMember(place, name), bytes)
  return {
    tokenId: integer('tokenId'),
    owner: hex('owner', 20),
    initialOwner: hex('initalOwner', 20),
    initiator: hex('initiator', 20),
    coupon: integer('coupon'),
    principal: integer('principal'),
    lendTimestamp: integer('lendTimestamp'),
    maturityTimestamp: integer('maturityTimestamp'),
    partnerFeeBPS: integer('partnerFeeBPS'),
    partnerId: hex('partnerId', 32),
    status: decodeString(decodeMember(place, 'status')),
    lendTransactionHash: hex('lendTransactionHash', 32),
  }
}
