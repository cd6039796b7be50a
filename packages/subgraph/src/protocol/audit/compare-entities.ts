import { callContracts, type RpcEndpoint, RpcError } from '@tallystick/chain'
import type { Difference } from '../contradictions.ts'
import type { Account, FloatingIncome, Pool, PositionInfo } from '../entities.ts'

type Hex = `0x${string}`

/** The members of the contract's struct that are integers, in their order. */
const lendFields = ['lendTimestamp', 'maturityTimestamp', 'coupon', 'principal', 'partnerFeeBPS'] as const

const comparedFields = ['id', 'status', 'currentOwner', ...lendFields, 'partnerId'] as const
/** Fields of a position that the position token knows. */
export type IndexedPosition = Pick<PositionInfo, (typeof comparedFields)[number]>
/** Selection of them. */
export const positionFields = comparedFields.join(' ')

export type IndexedAccount = Pick<Account, 'id' | 'activePositions'>
export type IndexedIncome = Pick<FloatingIncome, 'day' | 'floatingIncome' | 'accFloatingIncome'>
export type IndexedPool = Pick<Pool, 'paused' | 'minLendLimit' | 'lastFloatingIncomeDay'>

type AtToken = {
  /** Address of the position token. */
  readonly token: Hex
  /** Block that the index is at. */
  readonly block: number
}

type AtPool = { readonly pool: Hex; readonly block: number }

type PositionsToCompare = AtToken & {
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
  const call = (selector: Hex, id: string) => ({ to: token, data: encodeWord(selector, BigInt(id)), block })
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
  { indexed, owner }: { readonly indexed: IndexedPosition | undefined; readonly owner: Hex | undefined },
): string | undefined {
  const holder = owner === undefined ? undefined : `0x${hexAt(owner, 0).slice(-40)}`
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

/** A token without lend info does not exist, which its owner tells. */
function compareLendInfo(position: IndexedPosition, info: Hex | undefined): readonly Difference[] {
  if (info === undefined) return []
  const differs = (name: string, [own, found]: readonly [string, string]) =>
    own === found
      ? []
      : [
          {
            id: position.id,
            message: `Position ${position.id} has the ${name} ${own} in the index and ${found} on the chain.`,
          },
        ]
  return [
    ...lendFields.flatMap((name, index) => differs(name, [position[name], String(integerAt(info, index))])),
    ...differs('partnerId', [position.partnerId, hexAt(info, lendFields.length)]),
  ]
}

type AccountsToCompare = AtToken & { readonly accounts: readonly IndexedAccount[] }

const balanceOf = '0x70a08231'

/** Compares how many positions accounts hold with the position token. */
export async function compareAccounts(
  endpoint: Pick<RpcEndpoint, 'callMany'>,
  { token, block, accounts }: AccountsToCompare,
): Promise<readonly Difference[]> {
  const calls = accounts.map(({ id }) => ({ to: token, data: encodeWord(balanceOf, BigInt(id)), block }))
  const results = await callContracts(endpoint, calls)
  return accounts.flatMap(({ id, activePositions }, index) => {
    const result = results[index]
    const balance = result === undefined ? 0n : integerAt(result, 0)
    if (balance === BigInt(activePositions)) return []
    const message = `Account ${id} holds ${activePositions} positions in the index and ${balance} on the chain.`
    return [{ id, message }]
  })
}

type IncomesToCompare = AtPool & {
  readonly incomes: readonly IndexedIncome[]
  /** Days that the index lacks. The pool must not have reported them. */
  readonly absent?: readonly number[] | undefined
}

const accFloatingIncome = '0x01a5fa62'

/** Compares days of floating income with the pool. */
export async function compareIncomes(
  endpoint: Pick<RpcEndpoint, 'callMany'>,
  { pool, block, incomes, absent = [] }: IncomesToCompare,
): Promise<readonly Difference[]> {
  const wanted = new Set([...incomes.flatMap(({ day }) => [day - 1, day]), ...absent])
  const days = [...wanted].filter((day) => day >= 0)
  const calls = days.map((day) => ({ to: pool, data: encodeWord(accFloatingIncome, BigInt(day)), block }))
  const results = await callContracts(endpoint, calls)
  const sums = new Map(days.map((day, index) => [day, toSum(results[index])]))
  const missing = absent.filter((day) => (sums.get(day) ?? 0n) > 0n)
  const different = incomes.flatMap(({ day, floatingIncome, accFloatingIncome: acc }) => {
    const sum = sums.get(day) ?? 0n
    if (String(sum) !== acc) {
      const message = `Day ${day} has the accFloatingIncome ${acc} in the index and ${sum} on the chain.`
      return [{ id: String(day), message }]
    }
    const income = sum - (sums.get(day - 1) ?? 0n)
    if (String(income) === floatingIncome) return []
    const message = `Day ${day} has the floatingIncome ${floatingIncome} in the index and ${income} on the chain.`
    return [{ id: String(day), message }]
  })
  const toMessage = (day: number) => `Day ${day} is reported on the chain and missing in the index.`
  return [...missing.map((day) => ({ id: String(day), message: toMessage(day) })), ...different]
}

function toSum(result: Hex | undefined): bigint {
  return result === undefined ? 0n : integerAt(result, 0)
}

type PoolToCompare = AtPool & {
  /** Undefined if the index does not have the pool. */
  readonly indexed: IndexedPool | undefined
}

const getters = { lastFloatingIncomeDay: '0x1efa9743', minLendLimit: '0xda1b5b38', paused: '0x5c975abb' } as const

/** Compares the state of a pool. A contract without the getters contradicts nothing. */
export async function comparePool(
  endpoint: Pick<RpcEndpoint, 'callMany'>,
  { pool, block, indexed }: PoolToCompare,
): Promise<readonly Difference[]> {
  const calls = Object.values(getters).map((data) => ({ to: pool, data, block }))
  const results = await callContracts(endpoint, calls)
  // An address without code returns nothing.
  const [lastDay, minLendLimit, paused] = results.map((one) => (one && one !== '0x' ? integerAt(one, 0) : undefined))
  if (!indexed) {
    return minLendLimit === undefined
      ? []
      : [{ id: pool, message: 'The pool exists on the chain, and the index has no event of it.' }]
  }
  const differs = (name: string, [own, found]: readonly [unknown, bigint | undefined]) =>
    found === undefined || String(own) === String(found)
      ? []
      : [{ id: pool, message: `The pool has the ${name} ${String(own)} in the index and ${found} on the chain.` }]
  return [
    ...differs('lastFloatingIncomeDay', [indexed.lastFloatingIncomeDay ?? 0, lastDay]),
    // The pool emits its limits when it is deployed.
    ...differs('minLendLimit', [indexed.minLendLimit, minLendLimit]),
    ...differs('paused', [Number(indexed.paused), paused]),
  ]
}

// Not by viem, which a follower of a chain would load for this alone.

/** Encodes the call of a function with one word. */
function encodeWord(selector: Hex, word: bigint): Hex {
  return `${selector}${word.toString(16).padStart(64, '0')}`
}

/** Returns a word of a result, 0x hex in lower case. Throws if the result is shorter. */
function hexAt(result: Hex, index: number): Hex {
  const word = result.slice(2 + 64 * index, 2 + 64 * (index + 1)).toLowerCase()
  if (word.length === 64) return `0x${word}`
  throw new RpcError({ kind: 'malformed', message: 'responded to eth_call with fewer words than the contract returns' })
}

function integerAt(result: Hex, index: number): bigint {
  return BigInt(hexAt(result, index))
}
