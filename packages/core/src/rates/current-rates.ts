import { Temporal } from 'temporal-polyfill'
import { annualisedFloatingRate } from '../income/annualised-floating-rate.ts'
import type { ChainRates, RateResponse } from '../wire/rate-response.ts'

/** Inputs of a chain's rates at an instant. */
export type ChainRateFacts = {
  readonly chainId: number
  /** Notes on offer, ascending by maturity. */
  readonly fixed: readonly FixedRate[]
  /** Last floating income, or why it cannot be read. */
  readonly floating: LastFloatingIncome | { readonly problem: string }
  /** State of the pool on its chain; undefined if no RPC is available. */
  readonly pool?: { readonly isPaused: boolean; readonly lastFloatingDay: number } | undefined
  /** Whether the pool accepts loans, and why. Derived from `pool` by default. */
  readonly status?: { readonly status: ChainRates['status']; readonly reason: string } | undefined
}

/** Coupon of one tenor. */
export type FixedRate = {
  readonly tenorDays: number
  readonly maturityTimestamp: bigint
  /** Basis points per 360-day year. */
  readonly coupon: bigint
}

/** Last floating income and the block it was read from. */
export type LastFloatingIncome = {
  /** Undefined if none has been set. */
  readonly last: { readonly day: number; readonly floatingIncome: bigint } | undefined
  readonly block: { readonly number: number; readonly timestamp: number | undefined }
}

const secondsPerDay = 86_400n

/**
 * Returns the body of `GET /rate` (DESIGN.md §2.4). Synced has the contract's meaning: the last floating income is of
 * yesterday, in UTC days.
 *
 * @example
 * currentRates([{ chainId: 324, fixed: [], floating: { problem: 'It did not answer.' } }], {
 *   nowSeconds: 1794744000n,
 *   message: 'Rates.',
 * }).isProtocolSynced // false
 */
export function currentRates(
  chains: readonly ChainRateFacts[],
  { nowSeconds, message }: { readonly nowSeconds: bigint; readonly message: string },
): RateResponse {
  const rates = chains.map((chain) => ratesOf(chain, nowSeconds))
  return {
    message,
    fixedRate: highest(rates.flatMap(({ fixedRates }) => fixedRates.map(({ coupon }) => coupon))),
    floatingRate: highest(rates.flatMap(({ floatingRate }) => floatingRate ?? [])),
    marketRate: highest(rates.flatMap(({ marketRates }) => marketRates.map(({ rate }) => rate))),
    isProtocolSynced: rates.every(({ isProtocolSynced }) => isProtocolSynced),
    chains: rates,
  }
}

function ratesOf(
  { chainId, fixed, floating, pool, status = statusOf(pool) }: ChainRateFacts,
  nowSeconds: bigint,
): ChainRates {
  const today = Number(nowSeconds / secondsPerDay)
  const known = 'problem' in floating ? undefined : floating
  const floatingRate = known?.last ? annualisedFloatingRate(known.last.floatingIncome) : undefined
  const { isSynced, reason } = judgeSync({ floating, pool, today })
  const timestamp = known?.block.timestamp
  return {
    chainid: String(chainId),
    status: status.status,
    statusReason: status.reason,
    fixedRates: fixed.map(({ tenorDays, maturityTimestamp, coupon }) => ({
      maturity: tenorDays,
      maturity_timestamp: maturityTimestamp.toString(),
      coupon: coupon.toString(),
    })),
    floatingRate: floatingRate?.toString() ?? null,
    floatingDay: known?.last?.day ?? null,
    marketRates: fixed.map(({ tenorDays, coupon }) => ({
      maturity: tenorDays,
      rate: (coupon + (floatingRate ?? 0n)).toString(),
    })),
    isProtocolSynced: isSynced,
    syncReason: reason,
    nextSyncExpectedAt: (BigInt(isSynced ? today + 1 : today) * secondsPerDay).toString(),
    dataBlock: known ? String(known.block.number) : null,
    dataLagSeconds: timestamp === undefined ? null : Math.max(0, Number(nowSeconds) - timestamp),
  }
}

function statusOf(pool: ChainRateFacts['pool']): NonNullable<ChainRateFacts['status']> {
  if (!pool) return { status: 'unknown', reason: 'No RPC of this chain reports whether the pool is paused.' }
  if (pool.isPaused) return { status: 'paused', reason: 'The pool is paused.' }
  return { status: 'open', reason: 'The pool is not paused.' }
}

/** Returns the sync status. The pool's day overrides the index, which may lag. */
function judgeSync({ floating, pool, today }: Pick<ChainRateFacts, 'floating' | 'pool'> & { readonly today: number }): {
  readonly isSynced: boolean
  readonly reason: string
} {
  const yesterday = today - 1
  if ('problem' in floating) {
    return { isSynced: false, reason: `The floating income cannot be read: ${floating.problem}` }
  }
  const indexed = floating.last?.day
  const lastDay = pool?.lastFloatingDay ?? indexed ?? 0
  if (lastDay === yesterday) {
    const isIndexed = indexed === yesterday
    const late = isIndexed ? '' : ' The index does not have it yet, so these rates are of the day before.'
    return { isSynced: true, reason: `The floating income of ${formatDay(yesterday)} (UTC) has been set.${late}` }
  }
  if (lastDay === 0) return { isSynced: false, reason: 'No floating income has been set.' }
  const missing = `The floating income of ${formatDay(yesterday)} (UTC) has not been set. The last one is of ${formatDay(lastDay)}.`
  return { isSynced: false, reason: missing }
}

function formatDay(day: number): string {
  return Temporal.PlainDate.from('1970-01-01').add({ days: day }).toString()
}

function highest(values: readonly string[]): string | null {
  const [first, ...others] = values.map(BigInt)
  if (first === undefined) return null
  return others.reduce((a, b) => (a > b ? a : b), first).toString()
}
