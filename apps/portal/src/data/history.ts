import type { HistoryDay, HistoryPeriod } from '@tallystick/client'
import type { Session } from './session.ts'

/** Days of a chain, both included. */
export type HistoryQuery = { readonly chainId: number; readonly from: string; readonly to: string }

type Signalled = { readonly signal: AbortSignal }

/** Returns the periods of a chain, newest first. */
export function fetchHistoryPeriods(
  { client }: Session,
  query: HistoryQuery & Signalled,
): Promise<readonly HistoryPeriod[]> {
  return collect(client.historyNotes(query))
}

/** Returns the days of a chain, newest first. */
export function fetchHistoryDays({ client }: Session, query: HistoryQuery & Signalled): Promise<readonly HistoryDay[]> {
  return collect(client.historyRate(query))
}

async function collect<Row>(rows: AsyncIterable<Row>): Promise<readonly Row[]> {
  const found: Row[] = []
  for await (const row of rows) found.push(row)
  return found
}
