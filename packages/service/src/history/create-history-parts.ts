import { type Period, periodAt } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { ClockMonitor } from '@tallystick/issuer'
import type { IndexToAsk } from '../rate/read-floating-income.ts'
import type { HistoryNotesQuery, HistoryRateQuery } from './history-query.ts'
import { createReadFloatingRates } from './read-floating-rates.ts'
import { type NotesHistory, readNotesHistory } from './read-notes-history.ts'
import { type RateHistory, readRateHistory } from './read-rate-history.ts'

export type HistoryParts = {
  /**
   * Returns the newest period that has begun, by every clock if they disagree about it. So a set is visible here when
   * `/notes` serves it, never before.
   */
  findCurrent(nowMs: number): Period
  readNotes(query: HistoryNotesQuery, current: Period): Promise<NotesHistory>
  readRate(query: HistoryRateQuery, current: Period): Promise<RateHistory>
}

type HistoryOptions = {
  readonly database: Database
  readonly clocks: Pick<ClockMonitor, 'visibleSeconds'>
  readonly index: IndexToAsk
}

/** Creates the parts of `/history`. Identical requests at the same time share one read. */
export function createHistoryParts({ database, clocks, index }: HistoryOptions): HistoryParts {
  const readFloatingRates = createReadFloatingRates(index)
  const shareNotes = createShare<NotesHistory>()
  const shareRate = createShare<RateHistory>()
  return {
    findCurrent: (nowMs) => periodAt(clocks.visibleSeconds(nowMs)),
    readNotes: (query, current) =>
      shareNotes(keyOf(query, current), () => readNotesHistory(database, { query, current })),
    readRate: (query, current) =>
      shareRate(keyOf(query, current), () => readRateHistory({ database, readFloatingRates }, { query, current })),
  }
}

/** Returns a key that two requests share if their answers are the same. */
function keyOf(query: object, { start }: Period): string {
  const encode = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)
  return JSON.stringify([start, query], encode)
}

function createShare<Result>(): (key: string, read: () => Promise<Result>) => Promise<Result> {
  const pending = new Map<string, Promise<Result>>()
  return (key, read) => {
    const known = pending.get(key)
    if (known) return known
    const started = read().finally(() => pending.delete(key))
    pending.set(key, started)
    return started
  }
}
