import type { IncomingMessage, ServerResponse } from 'node:http'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import type { Defer } from './harness.ts'

/** Rates in percent, as printed, by weeks. */
type Rates = Readonly<Record<number, string>>

export type FakeRow = {
  readonly date: string
  readonly discount?: Rates
  readonly yield?: Rates
  /** More elements, as XML. */
  readonly extra?: string
}

export type FakeTreasury = {
  readonly url: string
  /** The months asked for, such as 202411, in order. */
  readonly asked: () => readonly string[]
  /** What the months that are asked for are taken from. */
  publish(rows: readonly FakeRow[]): void
  /** Answers in its own way; undefined goes back to the published rows. */
  behave(behaviour: ((request: IncomingMessage, response: ServerResponse) => void) | undefined): void
}

/** The published bank discounts of 2024-11-22, and coupon-equivalents as far apart as they are. */
export const november22: FakeRow = {
  date: '2024-11-22',
  discount: { 4: '4.53', 8: '4.47', 17: '4.40' },
  yield: { 4: '4.61', 8: '4.56', 17: '4.53' },
}

/** A server that answers as the Treasury does, from rows that tests choose. */
export async function startFakeTreasury(defer: Defer): Promise<FakeTreasury> {
  let rows: readonly FakeRow[] = []
  let behaviour: Parameters<FakeTreasury['behave']>[0]
  const asked: string[] = []
  const server = await startLocalServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const month = searchParams.get('field_tdr_date_value_month') ?? ''
    asked.push(month)
    if (behaviour) return behaviour(request, response)
    if (searchParams.get('data') !== 'daily_treasury_bill_rates') return response.writeHead(404).end()
    sendFeed(
      response,
      rows.filter(({ date }) => date.replace('-', '').startsWith(month)),
    )
  })
  defer(server.stop)
  return {
    url: `${server.url}/xml`,
    asked: () => asked,
    publish: (published) => {
      rows = published
    },
    behave: (next) => {
      behaviour = next
    },
  }
}

export function sendFeed(response: ServerResponse, rows: readonly FakeRow[]): void {
  response.writeHead(200, { 'content-type': 'application/xml; charset=utf-8' }).end(renderFeed(rows))
}

export function renderFeed(rows: readonly FakeRow[]): string {
  return `<?xml version="1.0" encoding="utf-8" standalone="yes" ?>
<feed xml:base="http://data.treasury.gov/Feed.svc/"
  xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"
  xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
  xmlns="http://www.w3.org/2005/Atom">
<title type="text">DailyTreasuryBillRateData</title>
${rows.map(renderRow).join('\n')}
</feed>
`
}

function renderRow({ date, extra = '', ...rates }: FakeRow): string {
  const columns = (name: string, of: Rates = {}) =>
    Object.entries(of).map(
      ([weeks, rate]) =>
        `<d:ROUND_B1_${name}_${weeks}WK_2 m:type="Edm.Double">${rate}</d:ROUND_B1_${name}_${weeks}WK_2>`,
    )
  const bills = Object.keys(rates.discount ?? {}).flatMap((weeks) => [
    `<d:MATURITY_DATE_${weeks}WK m:type="Edm.DateTime">2025-01-02T00:00:00</d:MATURITY_DATE_${weeks}WK>`,
    `<d:CUSIP_${weeks}WK>912797${weeks.padStart(3, 'A')}</d:CUSIP_${weeks}WK>`,
  ])
  return `<entry><id>http://data.treasury.gov/row</id><content type="application/xml"><m:properties>
  <d:INDEX_DATE m:type="Edm.DateTime">${date}T00:00:00</d:INDEX_DATE>
  ${[...columns('CLOSE', rates.discount), ...columns('YIELD', rates.yield), ...bills].join('\n  ')}
  ${extra}</m:properties></content></entry>`
}
