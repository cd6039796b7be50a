import { toSeconds } from '@tallystick/base'
import { periodAt } from '@tallystick/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createClockComparison, toleranceMs } from './clock-comparison.ts'
import { createMeasuredClock, type ReferenceClock } from './reference-clock.ts'

const boundaryMs = Date.parse('2026-11-15T18:00:00-05:00')

function clockAt(name: string, earliestMs: number, latestMs = earliestMs): ReferenceClock {
  return { name, estimate: () => ({ earliestMs, latestMs }), measure: async () => undefined }
}
const unknown = (name: string): ReferenceClock => ({ name, estimate: () => undefined, measure: async () => undefined })
const withDatabase = (earliestMs: number, latestMs?: number) =>
  createClockComparison({ database: clockAt('database', earliestMs, latestMs), chains: [] })
const withChain = (earliestMs: number, latestMs: number) =>
  createClockComparison({ database: undefined, chains: [clockAt('chain 324', earliestMs, latestMs)] })

describe('the database’s clock', () => {
  test.each([
    ['the same instant', 0, 0],
    ['the same period, hours apart', -4 * 3_600_000, -1],
    ['both sides of the boundary, exactly at the tolerance', -toleranceMs, 0],
    ['both sides of the boundary, ahead exactly at the tolerance', 0, -toleranceMs],
  ])('default: agrees: %s', (_, localMs, databaseMs) => {
    expect(withDatabase(boundaryMs + databaseMs).agrees(boundaryMs + localMs)).toBe(true)
    expect(withDatabase(boundaryMs + databaseMs).findDispute(boundaryMs + localMs)).toBeUndefined()
  })

  test.each([
    ['a millisecond beyond the tolerance', -toleranceMs - 1, 0, 1],
    ['a millisecond beyond the tolerance, ahead', 0, -toleranceMs - 1, 1],
    ['5 minutes behind in the first second', -299_000, 1_000, 299],
    ['5 minutes ahead', 60_000, -240_000, 240],
    ['6 hours and 1 s behind: over the whole evening', -1_000, 6 * 3_600_000, 6 * 3_600 + 1],
    ['a day behind: never', -86_400_000, 0, 300],
    ['a day ahead: never', 86_400_000, 0, 300],
    ['years ahead: never', 8 * 365 * 86_400_000, 0, 300],
  ])('error: disagrees: %s', (_, localMs, databaseMs, retryAfterSeconds) => {
    const comparison = withDatabase(boundaryMs + databaseMs)
    expect(comparison.agrees(boundaryMs + localMs)).toBe(false)
    expect(comparison.findDispute(boundaryMs + localMs)).toMatchObject({ reference: 'database', retryAfterSeconds })
  })

  test.each([
    ['the spring day period of 17 h', '2026-03-08T18:00:00-04:00', '2026-03-08T00:00:00-05:00'],
    ['the autumn day period of 19 h', '2026-11-01T18:00:00-05:00', '2026-11-01T00:00:00-04:00'],
  ])('behavior: %s is in one period from its first to its last millisecond', (_, end, start) => {
    const [endMs, startMs] = [Date.parse(end), Date.parse(start)]
    expect(withDatabase(startMs).agrees(endMs - 1)).toBe(true)
    expect(withDatabase(startMs - 1).agrees(endMs - 1)).toBe(false)
    expect(withDatabase(startMs).agrees(endMs)).toBe(false)
  })

  test('behavior: the measurement’s uncertainty is tolerated', () => {
    const comparison = withDatabase(boundaryMs - 200, boundaryMs + 200)
    expect(comparison.agrees(boundaryMs - 200 - toleranceMs)).toBe(true)
    expect(comparison.agrees(boundaryMs - 201 - toleranceMs)).toBe(false)
    expect(comparison.agrees(boundaryMs + 200 + toleranceMs)).toBe(true)
    expect(comparison.agrees(boundaryMs + 201 + toleranceMs)).toBe(false)
  })

  test('error: an unmeasured clock never agrees', () => {
    const comparison = createClockComparison({
      database: unknown('database'),
      chains: [clockAt('chain 324', boundaryMs)],
    })
    expect(comparison.agrees(boundaryMs)).toBe(false)
    expect(comparison.findDispute(boundaryMs)).toMatchObject({ retryAfterSeconds: 5 })
    expect(comparison.status(boundaryMs).confirmation).toBe('unconfirmed')
  })

  test('default: the message names the clocks and their difference', () => {
    const { message } = withDatabase(boundaryMs + 1_000).findDispute(boundaryMs - 299_000) ?? {}
    expect(message).toMatchInlineSnapshot(
      `"This replica's clock says 2026-11-15 17:55:01 New York, 300 s behind the clock of the database: they disagree about the current period."`,
    )
  })
})

describe('a chain’s clock', () => {
  test('behavior: agrees with a clock in its range, and with one outside if its whole range is in the same period', () => {
    const comparison = withChain(boundaryMs - 60_000, boundaryMs + 900_000)
    expect(comparison.agrees(boundaryMs - 60_000)).toBe(true)
    expect(comparison.agrees(boundaryMs + 900_000)).toBe(true)
    expect(comparison.agrees(boundaryMs - 60_001)).toBe(false)
    expect(comparison.agrees(boundaryMs + 900_001)).toBe(false)
    expect(withChain(boundaryMs, boundaryMs + 900_000).agrees(boundaryMs + 3_600_000)).toBe(true)
    expect(withChain(boundaryMs, boundaryMs + 900_000).findDispute(boundaryMs - 1)).toMatchObject({
      reference: 'chain 324',
      retryAfterSeconds: 1,
    })
    expect(withChain(boundaryMs - 960_000, boundaryMs - 1).agrees(boundaryMs)).toBe(false)
  })

  test('behavior: beside the database’s clock, it disagrees only if its whole range is outside the period', () => {
    const chains = [clockAt('chain 324', boundaryMs - 60_000, boundaryMs + 900_000)]
    const nowMs = boundaryMs + 3_600_000
    expect(createClockComparison({ database: clockAt('database', nowMs), chains }).agrees(nowMs)).toBe(true)
  })

  test('behavior: an unreadable clock is ignored', () => {
    const comparison = createClockComparison({ database: undefined, chains: [unknown('chain 324')] })
    expect(comparison.agrees(boundaryMs)).toBe(true)
    expect(comparison.status(boundaryMs)).toEqual({ databaseSeconds: undefined, confirmation: 'unconfirmed' })
  })

  test('behavior: all clocks must agree, and the longest retry delay is returned', () => {
    const database = clockAt('database', boundaryMs + 1_000)
    const ahead = clockAt('chain 1', boundaryMs + 86_400_000)
    const chains = [clockAt('chain 324', boundaryMs - 60_000, boundaryMs + 900_000), ahead]
    expect(createClockComparison({ database, chains }).agrees(boundaryMs + 1_000)).toBe(false)
    expect(createClockComparison({ database, chains }).findDispute(boundaryMs - 1_000)).toMatchObject({
      reference: 'chain 1',
      retryAfterSeconds: 300,
    })
  })
})

describe('a chain that stopped', () => {
  const stopped = clockAt('chain 1', boundaryMs - 7_200_000, boundaryMs - 6_300_000)
  const running = clockAt('chain 324', boundaryMs - 60_000, boundaryMs + 900_000)
  const nowMs = boundaryMs + 1_000

  test('behavior: does not count if another chain confirms the local clock', () => {
    const comparison = createClockComparison({ database: undefined, chains: [stopped, running] })
    expect([comparison.agrees(nowMs), comparison.findDispute(nowMs)]).toEqual([true, undefined])
    expect(comparison.status(nowMs).confirmation).toBe('confirmed')
  })

  test('error: counts if it is alone, with one that cannot be read, or beside one that is ahead', () => {
    for (const other of [unknown('chain 324'), clockAt('chain 324', boundaryMs + 86_400_000), stopped]) {
      const comparison = createClockComparison({ database: undefined, chains: [stopped, other] })
      expect(comparison.agrees(nowMs)).toBe(false)
      expect(comparison.status(nowMs).confirmation).toBe('contradicted')
    }
  })

  test('error: the database does not vouch for the local clock, because both may be on one host', () => {
    const comparison = createClockComparison({ database: clockAt('database', nowMs), chains: [stopped] })
    expect(comparison.findDispute(nowMs)).toMatchObject({ reference: 'chain 1' })
  })
})

describe('status for the rails', () => {
  test.each([
    [0, 'confirmed'],
    [60_000, 'confirmed'],
    [60_001, 'contradicted'],
    [-60_001, 'contradicted'],
  ])('default: %d ms from the database’s clock is %s', (offsetMs, confirmation) => {
    const databaseSeconds = toSeconds(boundaryMs)
    expect(withDatabase(boundaryMs).status(boundaryMs + offsetMs)).toEqual({ databaseSeconds, confirmation })
  })

  test('default: without a second clock, the status is single_clock', () => {
    const comparison = createClockComparison({ database: undefined, chains: [] })
    expect(comparison.status(boundaryMs)).toEqual({ databaseSeconds: undefined, confirmation: 'single_clock' })
    expect(comparison.agrees(boundaryMs)).toBe(true)
  })

  test('behavior: a chain confirms times within its range', () => {
    expect(withChain(boundaryMs - 60_000, boundaryMs + 900_000).status(boundaryMs).confirmation).toBe('confirmed')
    expect(withChain(boundaryMs - 60_000, boundaryMs + 900_000).status(boundaryMs + 900_001).confirmation).toBe(
      'contradicted',
    )
  })
})

async function checkServing(numRuns: number) {
  const boundaries = [
    boundaryMs,
    ...['2026-03-08T18:00:00-04:00', '2026-11-01T18:00:00-05:00', '2026-11-02T00:00:00-05:00'].map((at) =>
      Date.parse(at),
    ),
  ]
  const near = fc.integer({ min: -2_000, max: 2_000 })
  const far = fc.integer({ min: -3 * 86_400_000, max: 3 * 86_400_000 })
  const input = fc.record({
    boundary: fc.constantFrom(...boundaries),
    fromBoundary: fc.oneof(near, far),
    offset: fc.oneof(fc.constant(0), near, fc.constantFrom(-300_000, 300_000), far),
    there: fc.integer({ min: 0, max: 600 }),
    back: fc.integer({ min: 0, max: 400 }),
    elapsed: fc.integer({ min: 0, max: 86_400_000 }),
  })
  const isServedWell = async ({
    boundary,
    fromBoundary,
    offset,
    there,
    back,
    elapsed,
  }: typeof input extends fc.Arbitrary<infer T> ? T : never) => {
    const trueMs = boundary + fromBoundary
    let monotonicMs = 0
    const read = async () => {
      monotonicMs += there
      const readMs = trueMs - elapsed - back
      monotonicMs += back
      return readMs
    }
    const database = createMeasuredClock({ name: 'database', read, time: { monotonic: () => monotonicMs } })
    await database.measure()
    monotonicMs += elapsed
    const isServed = createClockComparison({ database, chains: [] }).agrees(trueMs + offset)
    if (offset === 0) return isServed
    if (!isServed) return true
    const { start, end } = periodAt(toSeconds(trueMs + offset))
    const slackMs = toleranceMs + there + back
    return trueMs >= Number(start) * 1000 - slackMs && trueMs < Number(end) * 1000 + slackMs
  }
  const result = await fc.check(fc.asyncProperty(input, isServedWell), { numRuns })
  expect(result.counterexample).toBeNull()
}

test('behavior: no note is served outside its period by the true time, and correct clocks serve notes', () =>
  checkServing(500))

test('behavior: the same for 2,000 clocks', { tags: ['slow'] }, () => checkServing(2_000))
