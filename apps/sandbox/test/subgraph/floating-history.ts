import fc from 'fast-check'
import type { Address } from 'viem'
import { lendCall, noteAt, transferPosition } from '../calls.ts'
import { type Chain, dollars } from '../chain.ts'
import type { Call } from './mine-block.ts'

const secondsPerDay = 86_400n

/** An attempt. A report is sent whether or not the pool accepts it; numbers of positions are choices among those there are. */
export type Attempt =
  | { readonly kind: 'daily'; readonly income: bigint }
  /** The days after the last known one. */
  | { readonly kind: 'late'; readonly incomes: readonly bigint[] }
  | {
      readonly kind: 'previous'
      readonly daysBack: bigint
      /** Added to the true number of days. */
      readonly miscount: bigint
      readonly incomes: readonly bigint[]
    }
  | {
      readonly kind: 'lend'
      readonly lender: number
      readonly principal: bigint
      readonly tenorDays: bigint
    }
  | { readonly kind: 'transfer' | 'claim'; readonly tokenId: number; readonly to: number }
export type AttemptBlock = { readonly gap: bigint; readonly attempts: readonly Attempt[] }

const income = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 10n ** 17n }))
const daily = fc.record({ kind: fc.constant('daily' as const), income })
const late = fc.record({
  kind: fc.constant('late' as const),
  incomes: fc.array(income, { minLength: 3, maxLength: 3 }),
})
const previous = fc.record({
  kind: fc.constant('previous' as const),
  // 0 is today, which is too early; days before the first report are among the others.
  daysBack: fc.bigInt({ min: 0n, max: 8n }),
  miscount: fc.oneof({ arbitrary: fc.constant(0n), weight: 9 }, { arbitrary: fc.constant(1n), weight: 1 }),
  incomes: fc.array(income, { maxLength: 4 }),
})
const lend = fc.record({
  kind: fc.constant('lend' as const),
  lender: fc.nat(4),
  principal: fc.bigInt({ min: dollars(1_000), max: dollars(90_000) }),
  tenorDays: fc.bigInt({ min: 2n, max: 6n }),
})
const move = fc.record({
  kind: fc.constantFrom('transfer' as const, 'claim' as const),
  tokenId: fc.nat(60),
  to: fc.nat(4),
})
const attempt: fc.Arbitrary<Attempt> = fc.oneof(
  { arbitrary: daily, weight: 5 },
  { arbitrary: late, weight: 3 },
  { arbitrary: previous, weight: 5 },
  { arbitrary: lend, weight: 3 },
  { arbitrary: move, weight: 6 },
)
const gap = fc.integer({ min: 1, max: 16 }).map((hours) => BigInt(hours) * 3_600n)

export function floatingHistory(blocks: number): fc.Arbitrary<readonly AttemptBlock[]> {
  const block = fc.record({ gap, attempts: fc.array(attempt, { maxLength: 7 }) })
  return fc.array(block, { minLength: blocks, maxLength: blocks })
}

export type AttemptContext = {
  readonly at: bigint
  /** Owners of the positions, the last one of those that are claimed. */
  readonly owners: readonly Address[]
  /** The last day with an income; 0 before the first. */
  readonly lastDay: bigint
}

/** The transaction of an attempt. The pool may reject it. */
export async function callOf(
  chain: Chain,
  { attempt, at, owners, lastDay }: AttemptContext & { readonly attempt: Attempt },
): Promise<Call> {
  const { admin, pool, wallets } = chain
  switch (attempt.kind) {
    case 'daily':
      return { from: admin.address, to: pool, functionName: 'updateDailyFloatingIncome', args: [attempt.income] }
    case 'late': {
      const missing = at / secondsPerDay - 1n - lastDay
      const incomes = attempt.incomes.slice(0, Math.max(1, Number(missing)))
      const args = [lastDay + 1n, BigInt(incomes.length), incomes]
      return { from: admin.address, to: pool, functionName: 'updatePreviousFloatingIncome', args }
    }
    case 'previous': {
      const { daysBack, miscount, incomes } = attempt
      const args = [at / secondsPerDay - daysBack, BigInt(incomes.length) + miscount, incomes]
      return { from: admin.address, to: pool, functionName: 'updatePreviousFloatingIncome', args }
    }
    case 'lend': {
      const { principal, tenorDays } = attempt
      const lender = wallets[attempt.lender]!.address
      const note = noteAt(at, { tenorDays })
      const { at: _, ...call } = await lendCall(chain, { lender, at, note, params: { principal } })
      return call
    }
    default: {
      const index = attempt.tokenId % Math.max(1, owners.length)
      const from = owners[index] ?? wallets[0]!.address
      const to = wallets[attempt.to]!.address
      const tokenId = BigInt(index + 1)
      if (attempt.kind === 'transfer') return transferPosition(chain, from, [to, tokenId])
      return { from, to: pool, functionName: 'claim', args: [to, tokenId] }
    }
  }
}
