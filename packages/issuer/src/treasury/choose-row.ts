import { type BillBasis, billDays, billTerms, isRatePercent } from '@tallystick/core'
import { TreasuryFeedError } from './feed-error.ts'
import type { FeedRow } from './parse-feed.ts'

export type ChosenRow = {
  readonly row: FeedRow
  /** Rates as published, percent, by weeks; ascending. */
  readonly rates: ReadonlyMap<number, string>
  /** Terms in weeks that are missing from the chosen row. */
  readonly missing: readonly number[]
  /** Terms in weeks that are missing from the newest row, chosen or not. */
  readonly vanished: readonly number[]
}

export type ChooseRowOptions = {
  readonly basis: BillBasis
  /** Configured tenors in days. */
  readonly tenors: readonly number[]
  /** The configured bills, each of which a row must have; undefined means all published ones. */
  readonly bills: readonly number[] | undefined
  /** Bills of the last curve. */
  readonly knownBills: readonly number[]
  /** Date in New York. */
  readonly today: string
}

type RowWithRates = { readonly row: FeedRow; readonly rates: ReadonlyMap<number, string> }

// Historical rates are between just below 0 and 17 percent. A rate far outside is a misplaced decimal point.
const ratePercentMin = -5
const ratePercentMax = 25

/**
 * Returns the newest usable row. Skips rows without rates (holidays) and with future dates. Skips a row that lacks the
 * shortest or longest bill if a tenor is beyond the remaining ones, because the curve would be flat there. A missing bill
 * in between is interpolated and reported. Throws `TreasuryFeedError`.
 */
export function chooseRow(rows: readonly FeedRow[], rules: ChooseRowOptions): ChosenRow {
  const candidates = rows
    .filter(({ date }) => date <= rules.today)
    .map((row) => ({ row, rates: readRates(row, rules) }))
    .filter(({ rates }) => rates.size > 0)
    .sort((a, b) => (a.row.date < b.row.date ? 1 : -1))
  const [newest] = candidates
  if (!newest) throw empty(rows, rules.today)
  const vanished = findMissing(newest, candidates, rules)
  for (const candidate of candidates) {
    assertUniqueDate(candidate, candidates)
    const missing = findMissing(candidate, candidates, rules)
    if (!isComplete(candidate, missing, rules)) continue
    assertRates(candidate)
    return { ...candidate, missing, vanished }
  }
  throw new TreasuryFeedError({
    failure: 'incomplete',
    vanishedBills: vanished,
    message: `No row of the Treasury feed has the required bills. The row of ${newest.row.date} lacks ${formatTerms(vanished)}.`,
  })
}

/** Formats terms for messages: "the 6-week and 52-week bills". */
export function formatTerms(terms: readonly number[]): string {
  return `the ${terms.map((weeks) => `${weeks}-week`).join(' and ')} bill${terms.length === 1 ? '' : 's'}`
}

function readRates({ columns }: FeedRow, { basis, bills }: ChooseRowOptions): ReadonlyMap<number, string> {
  const name = basis === 'discount' ? 'CLOSE' : 'YIELD'
  const terms = billTerms.filter((weeks) => bills?.includes(weeks) ?? true)
  return new Map(
    terms.flatMap((weeks) => {
      const rate = columns.get(`ROUND_B1_${name}_${weeks}WK_2`)
      return rate === undefined ? [] : [[weeks, rate] as const]
    }),
  )
}

/** Returns the bills that this row lacks, compared with the configured list, or with earlier rows and the last curve. */
function findMissing(
  { row, rates }: RowWithRates,
  candidates: readonly RowWithRates[],
  rules: ChooseRowOptions,
): number[] {
  const before = candidates.filter((other) => other.row.date < row.date).flatMap((other) => [...other.rates.keys()])
  const expected = new Set(rules.bills ?? [...before, ...rules.knownBills])
  return [...expected].filter((weeks) => !rates.has(weeks)).sort((a, b) => a - b)
}

function isComplete({ rates }: RowWithRates, missing: readonly number[], { bills, tenors }: ChooseRowOptions): boolean {
  if (missing.length === 0) return true
  if (bills) return false
  const terms = [...rates.keys()]
  const [shortest, longest] = [Math.min(...terms), Math.max(...terms)]
  const isFlatBefore = missing.some((weeks) => weeks < shortest) && tenors.some((days) => days < billDays(shortest))
  const isFlatAfter = missing.some((weeks) => weeks > longest) && tenors.some((days) => days > billDays(longest))
  return !isFlatBefore && !isFlatAfter
}

/** Throws if rows of the same date have different rates. */
function assertUniqueDate({ row, rates }: RowWithRates, candidates: readonly RowWithRates[]): void {
  const isSame = (other: RowWithRates) =>
    other.rates.size === rates.size && [...rates].every(([weeks, rate]) => other.rates.get(weeks) === rate)
  if (candidates.filter((other) => other.row.date === row.date).every(isSame)) return
  throw new TreasuryFeedError({
    failure: 'conflict',
    message: `The Treasury feed has two rows of ${row.date} with different rates.`,
  })
}

function assertRates({ row, rates }: RowWithRates): void {
  for (const [weeks, rate] of rates) {
    if (!isRatePercent(rate)) {
      throw new TreasuryFeedError({
        failure: 'malformed',
        message: `In the Treasury feed’s row of ${row.date} the rate of the ${weeks}-week bill is not a number.`,
      })
    }
    if (Number(rate) >= ratePercentMin && Number(rate) <= ratePercentMax) continue
    throw new TreasuryFeedError({
      failure: 'implausible',
      message:
        `In the Treasury feed’s row of ${row.date} the rate of the ${weeks}-week bill is ${rate} %, ` +
        `outside ${ratePercentMin} to ${ratePercentMax}.`,
    })
  }
}

function empty(rows: readonly FeedRow[], today: string): TreasuryFeedError {
  const what =
    rows.length === 0 ? 'has no rows' : `has ${rows.length} rows, but no rates of the used bills up to ${today}`
  return new TreasuryFeedError({ failure: 'empty', message: `The Treasury feed ${what}, this month and the last.` })
}
