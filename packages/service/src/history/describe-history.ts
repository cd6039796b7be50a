import type { HistoryNotesResponse, HistoryRateResponse } from '@tallystick/core'
import { describeGet, jsonContent } from '../openapi/describe-operation.ts'
import { curl, keyHeader, typescript } from '../openapi/samples.ts'
import { queryParameters, type SchemaName } from '../openapi/schemas.ts'
import { formatNotesHistory, formatRateHistory } from './format-history.ts'

const notesDescription = `Returns the coupons of the periods that have begun and had notes, and the index of each set in the public log. Signatures are not part of it: those notes have expired. Nothing of a period is shown before its first second.

Days are New York days, both included. A page has at most 1,000 periods. Request the next one with \`nextCursor\`, or follow the \`Link\` header. New periods do not shift pages. With \`Accept: text/csv\` the same page is a table with one row per coupon.

A page whose periods ended more than 8 days ago never changes, and its \`Cache-Control\` says so.`

const rateDescription = `Returns the fixed rates of each tenor and the floating rate by day, newest first.

The fixed rates of a day are the coupons of the last period of that New York day that has begun. The protocol counts floating income by UTC days: a row has that of the UTC day with the same date, which begins at 19:00 or 20:00 New York of the day before. \`floatingRate\` is null, with \`floatingReason\`, if the chain has no index, the index cannot be read, or it has no income of that day.

A range has at most 3,660 days, a page at most 366. With \`Accept: text/csv\` the same page is a table with one row per day and tenor. The pool can restate the floating income of any day, so no page is cached for longer than a minute.`

/** `GET /history/notes`. */
export const describeHistoryNotes = describeGet(({ context, chainId }) => {
  const example = exampleNotes(chainId)
  return {
    operationId: 'getHistoryNotes',
    summary: 'Past coupons by period',
    description: notesDescription,
    parameters: queryParameters('historyNotes', context),
    ...pageOf('HistoryNotesResponse', { example, csv: formatNotesHistory(example) }),
    codes: ['invalid_chainid', 'invalid_maturity', 'invalid_parameter', 'not_ready'],
    samples: [
      curl(`curl "$TALLYSTICK_URL/history/notes?chainid=${chainId}&maturity=7&limit=20"`, keyHeader),
      typescript(
        `for await (const { periodStart, coupons } of client.historyNotes({ chainId: ${chainId}, maturity: 7 })) {`,
        '  console.log(periodStart, coupons[0]?.coupon)',
        '}',
      ),
    ],
  }
})

/** `GET /history/rate`. */
export const describeHistoryRate = describeGet(({ context, chainId }) => {
  const example = exampleRates(chainId)
  return {
    operationId: 'getHistoryRate',
    summary: 'Past rates by day',
    description: rateDescription,
    parameters: queryParameters('historyRate', context),
    ...pageOf('HistoryRateResponse', { example, csv: formatRateHistory(example) }),
    codes: ['invalid_chainid', 'invalid_parameter', 'not_ready'],
    samples: [
      curl(`curl "$TALLYSTICK_URL/history/rate?chainid=${chainId}"`, keyHeader),
      typescript(
        'for await (const { chainId, fixedRates, floatingRate, day } of client.historyRate()) {',
        '  console.log(chainId, fixedRates.length, floatingRate, day)',
        '}',
      ),
    ],
  }
})

function pageOf(schema: SchemaName, { example, csv }: { readonly example: unknown; readonly csv: string }) {
  const { 'application/json': json } = jsonContent(schema, { page: { summary: 'The last page', value: example } })
  const table = {
    schema: { type: 'string', description: 'CSV (RFC 4180) with a header row.' },
    examples: { table: { summary: 'The same page as a table', value: csv } },
  }
  return {
    tag: 'History',
    response: 'A page, newest first.',
    content: { 'application/json': json, 'text/csv': table },
    notModified: 'The page matches `If-None-Match`. There is no body.',
    headers: ['Link', 'Content-Disposition'],
  } as const
}

function exampleNotes(chainId: number): HistoryNotesResponse {
  const chainid = String(chainId)
  const couponsOf = (coupon: string) => [{ maturity: 7, maturity_timestamp: '1795237200', coupon }]
  return {
    message: '2 periods.',
    periods: [
      { chainid, period_start: '1794697200', period_end: '1794718800', logIndex: 1204, coupons: couponsOf('369') },
      { chainid, period_start: '1794632400', period_end: '1794697200', logIndex: 1202, coupons: couponsOf('368') },
    ],
    nextCursor: null,
  }
}

function exampleRates(chainId: number): HistoryRateResponse {
  const chainid = String(chainId)
  const rateOf = (coupon: string) => [{ maturity: 7, coupon }]
  return {
    message: '2 days.',
    days: [
      {
        chainid,
        day: '2026-11-14',
        fixedRates: rateOf('369'),
        floatingRate: null,
        floatingReason: 'The index has no floating income of this UTC day.',
      },
      { chainid, day: '2026-11-13', fixedRates: rateOf('368'), floatingRate: '1264', floatingReason: null },
    ],
    nextCursor: null,
  }
}
