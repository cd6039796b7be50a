import { type RpcCall, RpcError } from '@tallystick/chain'
import { eventTopics } from '@tallystick/contracts/event-topics'
import type { BlockLogs, EntityChange, LoadEntities, Log, RunOnRpc, StoredEntity } from '../src/index.ts'
import { decodeEvent } from '../src/protocol/decode-event.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
export const [pool, positions, ann, bob, vault, signer] = ['a', 'b', '1', '2', '3', '5'].map(address) as [
  string,
  string,
  string,
  string,
  string,
  string,
]
export const zero = address('0')
export const partnerId = `0x${'c4'.repeat(32)}`
const noPartner = `0x${'00'.repeat(32)}`
export const hash = `0x${'ee'.repeat(32)}`
export const startsAt = 1_772_460_000
export const today = Math.floor(startsAt / 86_400)

export async function empty(): Promise<ReadonlyMap<string, StoredEntity>> {
  return new Map()
}

/** Creates the store of a mapping: entities by kind and id, changed by what it maps. */
export function createMemory(): { readonly load: LoadEntities; keep(changes: readonly EntityChange[]): void } {
  const stored = new Map<string, StoredEntity>()
  return {
    load: async (entity, ids) =>
      new Map(
        ids.flatMap((id) => {
          const found = stored.get(`${entity} ${id}`)
          return found ? [[id, found] as const] : []
        }),
      ),
    keep: (changes) => {
      for (const { entity, id, set } of changes) stored.set(`${entity} ${id}`, set as StoredEntity)
    },
  }
}

/** Runs work on a node that answers calls by a function. */
export function runOn(answer: (call: RpcCall) => unknown): RunOnRpc {
  const call = async (sent: RpcCall) => answer(sent)
  return (work) => work({ label: 'node', call, callMany: (calls) => Promise.all(calls.map(call)) })
}

/** Fails as a node fails if the pool rejects the signature of another key. */
export function rejectSignature(expected: string): never {
  const data = `0x258b9f04${pad(vault).slice(2)}${pad(expected).slice(2)}`
  throw new RpcError({ kind: 'error', message: 'execution reverted', code: 3, data })
}

/** A node of a pool whose signer is `signer`. */
export const run: RunOnRpc = runOn(() => rejectSignature(signer))

export function blockOf(number: number, logs: readonly Log[]): BlockLogs {
  const hashOf = (of: number) => `0x${of.toString(16).padStart(64, '0')}`
  return { block: { number, hash: hashOf(number), parentHash: hashOf(number - 1), timestamp: startsAt }, logs }
}

type LendTerms = {
  readonly tokenId: bigint
  readonly maturity?: bigint
  readonly coupon?: bigint
  readonly principal?: bigint
  readonly partnerId?: string
  readonly feeBPS?: bigint
}

export function lend(to: string, terms: LendTerms): readonly Log[] {
  const { tokenId, maturity = 2_000_000_000n, coupon = 500n, principal = 1_000n, feeBPS = 0n } = terms
  const words = [tokenId, maturity, coupon, principal, BigInt(terms.partnerId ?? noPartner), feeBPS]
  return [transfer(zero, { to, tokenId }), log(pool, { topics: [eventTopics.Lend, pad(to), pad(to)], words })]
}

export function claim(
  from: string,
  { tokenId, totalIncome, fee }: { readonly tokenId: bigint; readonly totalIncome: bigint; readonly fee: bigint },
): readonly Log[] {
  const words = [tokenId, 2_000_000_000n, 500n, 1_000n, totalIncome, fee, 0n]
  return [
    transfer(from, { to: zero, tokenId }),
    log(pool, { topics: [eventTopics.Claim, pad(from), pad(from)], words }),
  ]
}

export function transfer(from: string, { to, tokenId }: { readonly to: string; readonly tokenId: bigint }): Log {
  return log(positions, { topics: [eventTopics.Transfer, pad(from), pad(to), `0x${hexOf(tokenId)}`], words: [] })
}

export function partnerCreated(feeBPS: bigint): Log {
  const topics = [eventTopics.PartnerCreated, pad(bob), pad(vault)]
  return log(pool, { topics, words: [BigInt(partnerId), feeBPS] })
}

export function limit(topic: string, value: bigint): Log {
  return log(pool, { topics: [topic], words: [value] })
}

/** Income and sum of a day. */
type Day = readonly [income: bigint, sum: bigint]

export function dailyIncome(day: number, [income, sum]: Day): Log {
  return log(pool, { topics: [eventTopics.UpdateDailyFloatingIncome], words: [BigInt(day), income, sum] })
}

export function previousIncomes(firstDay: number, days: readonly Day[]): Log {
  const count = BigInt(days.length)
  const incomes = days.map(([income]) => income)
  const sums = days.map(([, sum]) => sum)
  const words = [BigInt(firstDay), 96n, 96n + 32n * (count + 1n), count, ...incomes, count, ...sums]
  return log(pool, { topics: [eventTopics.UpdatePreviousFloatingIncome], words })
}

export function log(
  from: string,
  { topics, words }: { readonly topics: readonly string[]; readonly words: readonly bigint[] },
): Log {
  return { address: from, topics, data: `0x${words.map(hexOf).join('')}`, transactionHash: hash, logIndex: 0 }
}

function hexOf(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

export function pad(hex: string): string {
  return `0x${hex.slice(2).padStart(64, '0')}`
}

/** Returns whether the mapping of the given contracts decodes a log. */
export function isDecoded(...[log, contracts]: Parameters<typeof decodeEvent>): boolean {
  return decodeEvent(log, contracts) !== undefined
}
