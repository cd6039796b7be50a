import {
  billDays,
  billTerms,
  type CurvePoints,
  type CurveProvenance,
  countBusinessDays,
  couponsFromBills,
  formatProtocolBps,
  newestBillRatesDate,
  newYorkDate,
  type Period,
} from '@tallystick/core'
import { z } from 'zod'
import type { TreasurySettings } from '../settings.ts'
import { type ChosenRow, chooseRow, formatTerms } from './choose-row.ts'
import { TreasuryFeedError } from './feed-error.ts'
import { type DocumentSource, type FeedDocument, fetchDocument } from './fetch-document.ts'
import type { FeedRow } from './parse-feed.ts'
import { parseInThread } from './parse-in-thread.ts'

export type TreasuryCurve = { readonly points: CurvePoints; readonly provenance: CurveProvenance }

export type FetchedCurve = TreasuryCurve & {
  /** Whether these are the newest rates that are due when the period begins. */
  readonly isNewest: boolean
  /** Terms in weeks of bills that the newest row lacks. */
  readonly vanishedBills: readonly number[]
  /** Terms in weeks of bills that this version does not support. */
  readonly newBills: readonly number[]
}

export type FetchOptions = {
  readonly config: TreasurySettings
  readonly tenors: readonly number[]
  /** The period the curve is for. */
  readonly period: Period
  readonly nowSeconds: bigint
  /** Terms in weeks of the last curve's bills. */
  readonly knownBills: readonly number[]
  readonly signal: AbortSignal
}

type Page = { readonly url: string; readonly document: FeedDocument; readonly rows: readonly FeedRow[] }

const treasuryFeed: DocumentSource = {
  name: 'Treasury feed',
  setting: 'curve.url',
  accept: 'application/atom+xml, application/xml, text/xml',
  // A month has about 100 KB.
  bytesMax: 512 * 1024,
}
const newBillPattern = /^ROUND_B1_(?:CLOSE|YIELD)_(\d{1,3})WK_2$/

/** Computes the curve for a period from the newest usable row of the Treasury feed. Throws `TreasuryFeedError`. */
export async function fetchTreasuryCurve(options: FetchOptions): Promise<FetchedCurve> {
  const { config, tenors, period, nowSeconds, knownBills } = options
  const today = newYorkDate(nowSeconds)
  const pages = await fetchPages(options, today)
  const rows = pages.flatMap((page) => page.rows)
  const { basis, bills } = config
  const chosen = chooseRow(rows, { basis, bills, tenors, knownBills, today })
  assertAge(chosen, options)
  const page = pages.find((candidate) => candidate.rows.includes(chosen.row)) as Page
  return {
    points: couponsFromBills(ratesOf(chosen), { basis, spreadBps: config.spreadBps, tenors }),
    provenance: describe(chosen, { config, page, nowSeconds }),
    isNewest: chosen.row.date >= newestBillRatesDate(period.start),
    vanishedBills: chosen.vanished,
    newBills: findNewBills(rows),
  }
}

/** Fetches this month and the previous one, because a month is empty in its first days. The previous one may fail if this one has rates. */
async function fetchPages({ config, signal }: FetchOptions, today: string): Promise<Page[]> {
  const month = today.slice(0, 7)
  const [current, previous] = await Promise.allSettled([
    fetchPage(month, { config, signal }),
    fetchPage(monthBefore(month), { config, signal }),
  ])
  if (current.status === 'rejected') throw current.reason
  if (previous.status === 'fulfilled') return [current.value, previous.value]
  const isEnough = current.value.rows.some(({ date, columns }) => date <= today && hasRate(columns))
  if (!isEnough) throw previous.reason
  return [current.value]
}

async function fetchPage(month: string, { config, signal }: Pick<FetchOptions, 'config' | 'signal'>): Promise<Page> {
  const query = { data: 'daily_treasury_bill_rates', field_tdr_date_value_month: month.replace('-', '') }
  const url = new URL(config.url)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const document = await fetchDocument(url, { source: treasuryFeed, timeoutMs: config.timeoutMs, signal })
  // Other parameters of the configured URL may be secret.
  const publicUrl = `${url.origin}${url.pathname}?${new URLSearchParams(query)}`
  return { url: publicUrl, document, rows: await parseInThread(document.text, signal) }
}

function monthBefore(month: string): string {
  const [year, monthOfYear] = month.split('-').map(Number) as [number, number]
  return monthOfYear === 1 ? `${year - 1}-12` : `${year}-${String(monthOfYear - 1).padStart(2, '0')}`
}

function hasRate(columns: FeedRow['columns']): boolean {
  return billTerms.some(
    (weeks) => columns.has(`ROUND_B1_CLOSE_${weeks}WK_2`) || columns.has(`ROUND_B1_YIELD_${weeks}WK_2`),
  )
}

function assertAge({ row, vanished }: ChosenRow, { config, period }: FetchOptions): void {
  const date = newYorkDate(period.start)
  const age = countBusinessDays({ after: row.date, upTo: date })
  if (age <= config.maxAgeBusinessDays) return
  const lacks = vanished.length > 0 ? ` Newer rows lack ${formatTerms(vanished)}.` : ''
  throw new TreasuryFeedError({
    failure: 'stale',
    vanishedBills: vanished,
    message:
      `The newest usable row of the Treasury feed is of ${row.date}, ${age} business days before ${date}. ` +
      `The limit is ${config.maxAgeBusinessDays} (curve.maxAgeBusinessDays).${lacks || ' If the feed has moved, set curve.url.'}`,
  })
}

function ratesOf({ rates }: ChosenRow) {
  return [...rates].map(([weeks, ratePercent]) => ({ weeks, ratePercent }))
}

function describe(
  chosen: ChosenRow,
  { config, page, nowSeconds }: Pick<FetchOptions, 'config' | 'nowSeconds'> & { readonly page: Page },
): CurveProvenance {
  const { columns, date } = chosen.row
  return {
    source: 'treasury',
    sourceDate: date,
    basis: config.basis,
    spreadBps: config.spreadBps,
    interpolation: 'linear-in-days, flat beyond the ends',
    rounding: 'half up',
    bills: ratesOf(chosen).map(({ weeks, ratePercent }) => ({
      weeks,
      days: billDays(weeks),
      cusip:
        z
          .string()
          .regex(/^[0-9A-Z]{9}$/)
          .safeParse(columns.get(`CUSIP_${weeks}WK`)).data ?? null,
      maturityDate: z.iso.date().safeParse(columns.get(`MATURITY_DATE_${weeks}WK`)?.slice(0, 10)).data ?? null,
      ratePercent,
      bps: formatProtocolBps(ratePercent, config.basis),
    })),
    missingBills: [...chosen.missing],
    documentSha256: page.document.sha256,
    url: page.url,
    fetchedAt: new Date(Number(nowSeconds) * 1000).toISOString(),
  }
}

function findNewBills(rows: readonly FeedRow[]): number[] {
  const terms = rows.flatMap(({ columns }) => [...columns.keys()].map((name) => Number(newBillPattern.exec(name)?.[1])))
  return [...new Set(terms)].filter((weeks) => weeks > 0 && !billTerms.some((known) => known === weeks))
}
