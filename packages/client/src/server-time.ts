import type { Reading } from './environment.ts'

/** Bounds of the service's time, Unix milliseconds. */
export type ServerTime = { readonly earliest: number; readonly latest: number }

/** What one answer said of the service's time. */
export type TimeSample = ServerTime & { readonly readAt: Reading }

/**
 * The service's time when an answer arrived. Its Date header is cut to the second and was made at some moment between
 * sending and receiving, so this is a span, not an instant. Without the header (a cross-site page may not see it) the
 * local clock has to do.
 */
export function sampleServerTime({
  headers,
  sentAt,
  receivedAt,
}: {
  readonly headers: Headers
  readonly sentAt: Reading
  readonly receivedAt: Reading
}): TimeSample {
  const date = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(date)) return { earliest: receivedAt.wall, latest: receivedAt.wall, readAt: receivedAt }
  const ageMs = Number(/^\d{1,9}$/.exec(headers.get('age') ?? '')?.[0] ?? 0) * 1000
  const onTheWayMs = Math.max(receivedAt.wall - sentAt.wall, receivedAt.monotonic - sentAt.monotonic, 0)
  return { earliest: date + ageMs, latest: date + ageMs + 1000 + onTheWayMs, readAt: receivedAt }
}

// What the two clocks may differ by between two readings without any meaning: one counts whole milliseconds.
const clockNoiseMs = 20

/**
 * The service's time at a later reading. Where the machine's clocks disagree on how much time has passed, it slept or its
 * time was set, and one of them is right: each bound goes by the more careful one. Carried on from reading to reading,
 * this holds through any number of sleeps and settings.
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
