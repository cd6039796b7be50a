import { callContracts, type RpcEndpoint } from '@tallystick/chain'
import type { PositionInfo } from '../entities.ts'
import type { Difference } from './difference.ts'
import { addressAt, encodeWord, hexAt, integerAt } from './words.ts'

type Address = `0x${string}`

/** Fields of a position that the position token knows. */
export type IndexedPosition = Pick<
  PositionInfo,
  | 'id'
  | 'status'
  | 'currentOwner'
  | 'lendTimestamp'
  | 'maturityTimestamp'
  | 'coupon'
  | 'principal'
  | 'partnerFeeBPS'
  | 'partnerId'
>

export type PositionsToCompare = {
  /** Address of the position token. */
  readonly token: Address
  /** Block that the index is at. */
  readonly block: number
  readonly ids: readonly string[]
  /** Positions of the index. An id that it lacks must not exist on the chain. */
  readonly indexed: ReadonlyMap<string, IndexedPosition>
}

const ownerOf = '0x6352211e'
const getLendInfo = '0x4e932e72'

/** Compares positions with the position token, in batches. */
export async function comparePositions(
  endpoint: Pick<RpcEndpoint, 'callMany'>,
  { token, block, ids, indexed }: PositionsToCompare,
): Promise<readonly Difference[]> {
  const active = ids.flatMap((id) => {
    const position = indexed.get(id)
    return position?.status === 'Active' ? [position] : []
  })
  const call = (selector: Address, id: string) => ({ to: token, data: encodeWord(selector, BigInt(id)), block })
  const results = await callContracts(endpoint, [
    ...ids.map((id) => call(ownerOf, id)),
    ...active.map(({ id }) => call(getLendInfo, id)),
  ])
  const infos = results.slice(ids.length)
  return [
    ...ids.flatMap((id, index) => {
      const message = compareOwner(id, { indexed: indexed.get(id), owner: results[index] })
      return message === undefined ? [] : [{ id, message, isOutdated: true }]
    }),
    ...active.flatMap((position, index) => compareLendInfo(position, infos[index])),
  ]
}

function compareOwner(
  id: string,
  { indexed, owner }: { readonly indexed: IndexedPosition | undefined; readonly owner: Address | undefined },
): string | undefined {
  const holder = owner === undefined ? undefined : addressAt(owner, 0)
  if (!indexed) {
    return holder === undefined ? undefined : `Position ${id} of ${holder} exists on the chain and not in the index.`
  }
  if (indexed.status !== 'Active') {
    return holder === undefined
      ? undefined
      : `Position ${id} is claimed in the index and held by ${holder} on the chain.`
  }
  if (holder === undefined) return `Position ${id} is active in the index and does not exist on the chain.`
  const { currentOwner } = indexed
  return holder === currentOwner
    ? undefined
    : `Position ${id} is held by ${currentOwner} in the index and by ${holder} on the chain.`
}

/** The members of the contract's struct, in their order. */
const lendFields = ['lendTimestamp', 'maturityTimestamp', 'coupon', 'principal', 'partnerFeeBPS'] as const

/** A token without lend info does not exist, which its owner tells. */
function compareLendInfo(position: IndexedPosition, info: Address | undefined): readonly Difference[] {
  if (info === undefined) return []
  const differs = (name: string, [own, found]: readonly [string, string]) =>
    own === found ? [] : [toDifference(position, `the ${name} ${own} in the index and ${found} on the chain`)]
  return [
    ...lendFields.flatMap((name, index) => differs(name, [position[name], String(integerAt(info, index))])),
    ...differs('partnerId', [position.partnerId, hexAt(info, lendFields.length)]),
  ]
}

function toDifference({ id }: IndexedPosition, what: string): Difference {
  return { id, message: `Position ${id} has ${what}.` }
}
