import type { Reading } from './environment.ts'
import type { ApiAnswer } from './http/request-json.ts'

/** Bounds of the service's time, Unix milliseconds. */
export type ServerTime = { readonly earliest: number; readonly latest: number }

/** Service's time at a reading of the local clocks. */
export type TimeSample = ServerTime & { readonly readAt: Reading }

/**
 * Returns the service's time when a response arrived. The Date header is truncated to seconds and was created between
 * sending and receiving, so the result is a span. Without the header (a cross-site page may not see it) the local clock is
 * used.
 */
export function sampleServerTime({ headers, sentAt, receivedAt }: Omit<ApiAnswer, 'json'>): TimeSample {
  const date = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(date)) return { earliest: receivedAt.wall, latest: receivedAt.wall, readAt: receivedAt }
  const ageMs = Number(/^\d{1,9}$/.exec(headers.get('age') ?? '')?.[0] ?? 0) * 1000
  const onTheWayMs = Math.max(receivedAt.wall - sentAt.wall, receivedAt.monotonic - sentAt.monotonic, 0)
  return { earliest: date + ageMs, latest: date + ageMs + 1000 + onTheWayMs, readAt: receivedAt }
}

// The clocks may differ by this between two readings: one counts whole milliseconds.
const clockNoiseMs = 20

/**
 * Advances the service's time to a later reading. If the machine's clocks disagree about the elapsed time, the machine slept
 * or its time was set, and one of them is right. Each bound uses the more cautious one. Applied from reading to reading, the
 * bounds hold through any number of sleeps and clock changes.
 */
export function serverTimeAt({ earliest, latest, readAt }: TimeSample, reading: Reading): TimeSample {
  const byMonotonic = reading.monotonic - readAt.monotonic
  const difference = reading.wall - readAt.wall - byMonotonic
  const byWall = byMonotonic + (Math.abs(difference) > clockNoiseMs ? difference : 0)
  return {
    earliest: earliest + Math.min(byWall, byMonotonic),
    latest: latest + Math.max(byWall, byMonotonic),
    readAt: reading,
  }
}
