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
  /** Whether the pool accepts loans, and why. */
  readonly status: { readonly status: ChainRates['status']; readonly reason: string }
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
  /** Whether the index that it was read from is known to be incomplete. */
  readonly hasErrors?: boolean | undefined
}

const secondsPerDay = 86_400n

/** Days whose floating income has not been set: how many, and the first of them. */
type MissingIncome = { readonly days: number; readonly since: string }

type MissingIncomeOptions = {
  /** Last UTC day with an income, days since 1970-01-01. */
  readonly lastDay: number
  readonly nowSeconds: bigint
}

/**
 * Returns the days up to yesterday (UTC) that have no floating income, or undefined if there are none.
 *
 * @example
 * findMissingIncome({ lastDay: 20_760, nowSeconds: 1794744000n }) // { days: 11, since: '2026-11-04' }
 */
export function findMissingIncome({ lastDay, nowSeconds }: MissingIncomeOptions): MissingIncome | undefined {
  const days = Number(nowSeconds / secondsPerDay) - 1 - lastDay
  return days > 0 ? { days, since: formatDay(lastDay + 1) } : undefined
}

// Yesterday's income is set in the course of today. A chain that lacks an earlier one has stale income.
const staleDays = 2

/** Returns whether income is missing that should have been set before today. */
export function isIncomeStale(missing: MissingIncome | undefined): missing is MissingIncome {
  return missing !== undefined && missing.days >= staleDays
}

/**
 * Returns the body of `GET /rate` (DESIGN.md §2.4). Synced has the contract's meaning: the last floating income is of
 * yesterday, in UTC days.
 *
 * @example
 * const status = { status: 'unknown', reason: 'No RPC and no subgraph is configured.' } as const
 * currentRates([{ chainId: 324, fixed: [], floating: { problem: 'It did not answer.' }, status }], {
 *   nowSeconds: 1794744000n,
 *   message: 'Rates.',
 * }).isProtocolSynced // false
 */
export function currentRates(
  chains: readonly ChainRateFacts[],
  { nowSeconds, message }: { readonly nowSeconds: bigint; readonly message: string },
): RateResponse {
  const rates = chains.map((chain) => ratesOf(chain, nowSeconds))
  // `dataBlock` is null if the floating income cannot be read.
  const readable = rates.filter(({ dataBlock }) => dataBlock !== null)
  return {
    message,
    ...bestRates(chains, nowSeconds),
    isProtocolSynced: readable.length > 0 && readable.every(({ isProtocolSynced }) => isProtocolSynced),
    chains: rates,
  }
}

/**
 * Returns the rates of the chain with the highest market rate, or with the highest floating rate if no chain has notes.
 * All rates are of one chain, so that fixed and floating rate add up to the market rate. A chain with stale income is
 * chosen only if every other one lacks the rate.
 */
function bestRates(
  chains: readonly ChainRateFacts[],
  nowSeconds: bigint,
): Pick<RateResponse, 'chainid' | 'fixedRate' | 'floatingRate' | 'marketRate'> {
  const candidates = chains.map(({ chainId, fixed: notes, floating: income }) => {
    const fixed = highest(notes.map(({ coupon }) => coupon))
    const floating = floatingRateOf(income)
    const market = fixed === undefined ? undefined : fixed + (floating ?? 0n)
    return { chainId, fixed, floating, market, isStale: hasStaleIncome(income, nowSeconds) }
  })
  const hasNotes = candidates.some(({ market }) => market !== undefined)
  const rateOf = ({ market, floating }: (typeof candidates)[number]) => (hasNotes ? market : floating)
  const rated = candidates.filter((candidate) => rateOf(candidate) !== undefined)
  const fresh = rated.filter(({ isStale }) => !isStale)
  const eligible = fresh.length > 0 ? fresh : rated
  const top = highest(eligible.flatMap((candidate) => rateOf(candidate) ?? []))
  const [best] = eligible.filter((candidate) => rateOf(candidate) === top).toSorted((a, b) => a.chainId - b.chainId)
  return {
    chainid: best ? String(best.chainId) : null,
    fixedRate: best?.fixed?.toString() ?? null,
    floatingRate: best?.floating?.toString() ?? null,
    marketRate: best?.market?.toString() ?? null,
  }
}

function ratesOf({ chainId, fixed, floating, status }: ChainRateFacts, nowSeconds: bigint): ChainRates {
  const today = Number(nowSeconds / secondsPerDay)
  const known = 'problem' in floating ? undefined : floating
  const floatingRate = floatingRateOf(floating)
  const { isSynced, reason } = judgeSync(floating, { today, nowSeconds })
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
    syncReason: known?.hasErrors ? `${reason} The index of this chain is incomplete and is being repaired.` : reason,
    nextSyncExpectedAt: (BigInt(isSynced ? today + 1 : today) * secondsPerDay).toString(),
    dataBlock: known ? String(known.block.number) : null,
    dataLagSeconds: timestamp === undefined ? null : Math.max(0, Number(nowSeconds) - timestamp),
  }
}

function hasStaleIncome(floating: ChainRateFacts['floating'], nowSeconds: bigint): boolean {
  if ('problem' in floating || !floating.last) return false
  return isIncomeStale(findMissingIncome({ lastDay: floating.last.day, nowSeconds }))
}

function floatingRateOf(floating: ChainRateFacts['floating']): bigint | undefined {
  return 'problem' in floating || !floating.last ? undefined : annualisedFloatingRate(floating.last.floatingIncome)
}

function judgeSync(
  floating: ChainRateFacts['floating'],
  { today, nowSeconds }: { readonly today: number; readonly nowSeconds: bigint },
): { readonly isSynced: boolean; readonly reason: string } {
  if ('problem' in floating) {
    return { isSynced: false, reason: `The floating income cannot be read: ${floating.problem}` }
  }
  const yesterday = today - 1
  const lastDay = floating.last?.day
  if (lastDay === undefined) return { isSynced: false, reason: 'No floating income has been set.' }
  if (lastDay === yesterday) {
    return { isSynced: true, reason: `The floating income of ${formatDay(yesterday)} (UTC) has been set.` }
  }
  const missing = findMissingIncome({ lastDay, nowSeconds })
  const which = isIncomeStale(missing)
    ? `${missing.days} days (UTC), since ${missing.since},`
    : `${formatDay(yesterday)} (UTC)`
  const reason = `The floating income of ${which} has not been set. The last one is of ${formatDay(lastDay)}.`
  return { isSynced: false, reason }
}

function formatDay(day: number): string {
  return Temporal.PlainDate.from('1970-01-01').add({ days: day }).toString()
}

function highest(rates: readonly bigint[]): bigint | undefined {
  return rates.reduce<bigint | undefined>((top, rate) => (top === undefined || rate > top ? rate : top), undefined)
}
