import { eventTopics } from '@tallystick/contracts/event-topics'
import type { BlockLogs, Log, StoredEntity } from '../src/index.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
export const [pool, positions, ann, bob, vault] = ['a', 'b', '1', '2', '3'].map(address) as [
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

export function previousIncomes(firstDay: number, days: readonly (readonly [bigint, bigint])[]) {
  const count = BigInt(days.length)
  const incomes = days.map(([income]) => income)
  const sums = days.map(([, sum]) => sum)
  const words = [BigInt(firstDay), 96n, 96n + 32n * (count + 1n), count, ...incomes, count, ...sums]
  return { topics: [eventTopics.UpdatePreviousFloatingIncome], words }
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
