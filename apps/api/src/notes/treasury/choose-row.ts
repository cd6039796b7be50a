import { type BillBasis, billDays, billTerms, isRatePercent } from '@tallystick/core'
import { TreasuryFeedError } from './feed-error.ts'
import type { FeedRow } from './parse-feed.ts'

export type ChosenRow = {
  readonly row: FeedRow
  /** Rates as published, percent, by weeks; ascending. */
  readonly rates: ReadonlyMap<number, string>
  /** Terms in weeks that were expected and are not in the chosen row. */
  readonly missing: readonly number[]
  /** Terms in weeks that were expected and are not in the newest row, chosen or not. */
  readonly vanished: readonly number[]
}

export type ChooseRowOptions = {
  readonly basis: BillBasis
  /** Days on offer. */
  readonly tenors: readonly number[]
  /** The bills the operator named, each of which a row must have; undefined is all that are published. */
  readonly bills: readonly number[] | undefined
  /** The bills the last curve was made from. */
  readonly knownBills: readonly number[]
  /** New York. */
  readonly today: string
}

type RowWithRates = { readonly row: FeedRow; readonly rates: ReadonlyMap<number, string> }

// Bills have printed between just below zero and 17 percent. What lies far outside is a slip of the decimal point.
const ratePercentMin = -5
const ratePercentMax = 25

/**
 * The newest row that a curve may be made from. Rows without any rate (holidays) and of days to come are passed over. So
 * is one that has lost its shortest or longest bill while a tenor on offer lies beyond what is left: it would go flat
 * where it was not. A bill lost in between is bridged, and told. Throws `TreasuryFeedError`.
 */
export function chooseRow(rows: readonly FeedRow[], rules: ChooseRowOptions): ChosenRow {
  const priced = rows
    .filter(({ date }) => date <= rules.today)
    .map((row) => ({ row, rates: readRates(row, rules) }))
    .filter(({ rates }) => rates.size > 0)
    .sort((a, b) => (a.row.date < b.row.date ? 1 : -1))
  const [newest] = priced
  if (!newest) throw empty(rows, rules.today)
  const vanished = findMissing(newest, priced, rules)
  for (const candidate of priced) {
    assertOneRow(candidate, priced)
    const missing = findMissing(candidate, priced, rules)
    if (!isComplete(candidate, missing, rules)) continue
    assertRates(candidate)
    return { ...candidate, missing, vanished }
  }
  throw new TreasuryFeedError({
    failure: 'incomplete',
    vanishedBills: vanished,
    message: `No row of the Treasury feed has the bills the coupons need; that of ${newest.row.date} lacks ${formatTerms(vanished)}.`,
  })
}

/** "the 6-week and 52-week bills", for messages. */
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

/** What rows before this one, the last curve, or the operator's list have and this row has not. */
function findMissing({ row, rates }: RowWithRates, priced: readonly RowWithRates[], rules: ChooseRowOptions): number[] {
  const before = priced.filter((other) => other.row.date < row.date).flatMap((other) => [...other.rates.keys()])
  const expected = new Set(rules.bills ?? [...before, ...rules.knownBills])
  return [...expected].filter((weeks) => !rates.has(weeks)).sort((a, b) => a - b)
}

function isComplete({ rates }: RowWithRates, missing: readonly number[], { bills, tenors }: ChooseRowOptions): boolean {
  if (missing.length === 0) return true
  if (bills) return false
  const terms = [...rates.keys()]
  const [shortest, longest] = [Math.min(...terms), Math.max(...terms)]
  const goesFlatBefore = missing.some((weeks) => weeks < shortest) && tenors.some((days) => days < billDays(shortest))
  const goesFlatAfter = missing.some((weeks) => weeks > longest) && tenors.some((days) => days > billDays(longest))
  return !goesFlatBefore && !goesFlatAfter
}

/** Rows are known by their date. Two of one date may be there, but only if they say the same. */
function assertOneRow({ row, rates }: RowWithRates, priced: readonly RowWithRates[]): void {
  const isSame = (other: RowWithRates) =>
    other.rates.size === rates.size && [...rates].every(([weeks, rate]) => other.rates.get(weeks) === rate)
  if (priced.filter((other) => other.row.date === row.date).every(isSame)) return
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
        message: `In the Treasury feed’s row of ${row.date} the rate of the ${weeks}-week bill is no number.`,
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
    rows.length === 0 ? 'has no rows' : `has ${rows.length} rows, but no rates of the bills in use up to ${today}`
  return new TreasuryFeedError({ failure: 'empty', message: `The Treasury feed ${what}, this month and the last.` })
}
