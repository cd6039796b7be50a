import { toSeconds } from '@tallystick/base'
import { expect, test } from 'vitest'
import { createClockComparison } from './clock-comparison.ts'
import type { ClockEstimate } from './reference-clock.ts'
import { createVisibleSeconds } from './visible-seconds.ts'

const boundaryMs = Date.parse('2026-11-15T18:00:00-05:00')
const minuteMs = 60_000

/** Creates clocks whose estimates the test sets. Undefined means not measured. */
function createClocks({ hasDatabase = false }: { readonly hasDatabase?: boolean } = {}) {
  const estimates: { database: ClockEstimate | undefined; chain: ClockEstimate | undefined } = {
    database: undefined,
    chain: undefined,
  }
  const clock = (name: 'database' | 'chain') => ({
    ...{ name, estimate: () => estimates[name], measure: async () => undefined },
  })
  const comparison = createClockComparison({
    database: hasDatabase ? clock('database') : undefined,
    chains: [clock('chain')],
  })
  return { estimates, visibleSeconds: createVisibleSeconds(comparison) }
}

const around = (ms: number): ClockEstimate => ({ earliestMs: ms, latestMs: ms })
const chainAt = (ms: number): ClockEstimate => ({ earliestMs: ms - minuteMs, latestMs: ms + 15 * minuteMs })

test('default: while the clocks agree, it is the local second, in the last and the first of a period', () => {
  const { estimates, visibleSeconds } = createClocks({ hasDatabase: true })
  for (const ms of [boundaryMs - 1, boundaryMs, boundaryMs + 1]) {
    estimates.database = around(ms)
    estimates.chain = chainAt(ms)
    expect(visibleSeconds(ms)).toBe(toSeconds(ms))
  }
})

test('error: a local clock that the chain contradicts shows nothing of the period that it believes in', () => {
  const { estimates, visibleSeconds } = createClocks()
  const trueMs = boundaryMs - 20 * minuteMs
  estimates.chain = chainAt(trueMs)
  expect(visibleSeconds(boundaryMs + 1_000)).toBe(toSeconds(trueMs - minuteMs))
})

test('error: if the clocks disagree, the earliest of all decides', () => {
  const { estimates, visibleSeconds } = createClocks({ hasDatabase: true })
  estimates.database = around(boundaryMs + 1_000)
  estimates.chain = chainAt(boundaryMs - 20 * minuteMs)
  expect(visibleSeconds(boundaryMs + 1_000)).toBe(toSeconds(boundaryMs - 21 * minuteMs))
  estimates.chain = chainAt(boundaryMs)
  estimates.database = around(boundaryMs - 30 * minuteMs)
  expect(visibleSeconds(boundaryMs + 1_000)).toBe(toSeconds(boundaryMs - 30 * minuteMs))
})

test('error: with a database that was never measured, nothing of any period is shown', () => {
  const { estimates, visibleSeconds } = createClocks({ hasDatabase: true })
  expect(visibleSeconds(boundaryMs)).toBe(0n)
  estimates.chain = chainAt(boundaryMs)
  expect(visibleSeconds(boundaryMs)).toBe(0n)
})

test('behavior: with an unknown clock, nothing newer than the last agreed period is shown', () => {
  const { estimates, visibleSeconds } = createClocks({ hasDatabase: true })
  const agreedMs = boundaryMs - 8 * minuteMs
  estimates.database = around(agreedMs)
  expect(visibleSeconds(agreedMs)).toBe(toSeconds(agreedMs))
  // The chain was never read, and the database contradicts the local clock.
  estimates.database = around(boundaryMs + 5_000)
  expect(visibleSeconds(boundaryMs - 5_000)).toBe(toSeconds(boundaryMs - 5_000))
  estimates.database = around(boundaryMs - 5_000)
  expect(visibleSeconds(boundaryMs + 5_000)).toBe(toSeconds(boundaryMs - 5_000))
  estimates.database = undefined
  expect(visibleSeconds(boundaryMs + 5_000)).toBe(toSeconds(boundaryMs) - 1n)
})
