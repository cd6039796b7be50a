import { expect, test } from 'vitest'
import { type Circuit, type CircuitEvent, circuitAfter, closedCircuit, failuresMax } from './circuit.ts'

/** Returns the circuit after events, which are 1 ms apart unless they have `atMs`. */
function after(events: readonly (CircuitEvent['kind'] | (CircuitEvent & { readonly atMs?: number }))[]): Circuit {
  return events.reduce<Circuit>((circuit, event, index) => {
    const { atMs = index, ...rest } =
      typeof event === 'string' ? ({ kind: event } as CircuitEvent & { atMs?: number }) : event
    return circuitAfter(circuit, { event: rest, atMs })
  }, closedCircuit)
}
const failures = (count: number) => new Array<'failed'>(count).fill('failed')
const opened = [...failures(failuresMax), 'probe_failed'] as const

test('default: failures below the limit do not make it suspect', () => {
  expect(after(failures(failuresMax - 1))).toMatchObject({ state: 'closed', isSuspect: false })
})

test('behavior: failures at the limit make it suspect but leave it closed', () => {
  expect(after(failures(failuresMax))).toMatchObject({ state: 'closed', isSuspect: true })
})

test('behavior: failed queries alone do not open it', () => {
  expect(after(failures(1_000))).toMatchObject({ state: 'closed', isSuspect: true })
})

test('behavior: a success resets the failure count', () => {
  const events = [...failures(failuresMax - 1), 'succeeded' as const, ...failures(failuresMax - 1)]
  expect(after(events)).toMatchObject({ state: 'closed', isSuspect: false })
})

test('behavior: a failed probe opens a suspect circuit', () => {
  expect(after(opened)).toEqual({ state: 'open', openings: 1, openUntilMs: failuresMax + 500 })
})

test('behavior: a success during the probe overrides a failed probe', () => {
  expect(after([...failures(failuresMax), 'succeeded', 'probe_failed'])).toMatchObject({ state: 'closed', failures: 1 })
})

test('behavior: a successful probe clears the suspicion, and failures do not count for 1 s', () => {
  const cleared = [...failures(failuresMax), { kind: 'probe_succeeded' as const, atMs: 10 }]
  expect(after(cleared)).toMatchObject({ state: 'closed', isSuspect: false, failures: 0 })
  const late = (atMs: number) => ({ kind: 'failed' as const, atMs })
  expect(after([...cleared, late(1_009)])).toMatchObject({ failures: 0 })
  expect(after([...cleared, late(1_010)])).toMatchObject({ failures: 1 })
})

test('behavior: it opens for 0.5, 1, 2, 4, 8, 15 and 15 seconds', () => {
  let circuit = after(opened)
  const durations = Array.from({ length: 7 }, () => {
    const openForMs = (circuit.state === 'open' ? circuit.openUntilMs : Number.NaN) - failuresMax
    circuit = circuitAfter(circuit, { event: { kind: 'probe_started' }, atMs: failuresMax })
    circuit = circuitAfter(circuit, { event: { kind: 'probe_failed' }, atMs: failuresMax })
    return openForMs
  })
  expect(durations).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
})

test('behavior: a successful probe closes an open circuit', () => {
  expect(after([...opened, 'probe_started'])).toEqual({ state: 'probing', openings: 1 })
  expect(after([...opened, 'probe_started', 'probe_succeeded'])).toMatchObject({ state: 'closed', openings: 1 })
})

test('behavior: only a caller’s query resets the backoff', () => {
  const again = [...opened, 'probe_started' as const, { kind: 'probe_succeeded' as const, atMs: 0 }]
  const later = [...failures(failuresMax), 'probe_failed' as const].map((kind) => ({ kind, atMs: 10_000 }))
  expect(after([...again, ...later])).toMatchObject({ state: 'open', openUntilMs: 11_000 })
  expect(after([...again, 'succeeded', ...later])).toMatchObject({ state: 'open', openUntilMs: 10_500 })
})

test.each(['failed', 'succeeded', 'probe_succeeded', 'probe_failed'] as const)(
  'behavior: %s of an earlier call does not change an open circuit',
  (kind) => {
    expect(after([...opened, kind])).toEqual(after(opened))
  },
)

test('behavior: queries that end during a probe do not change the circuit', () => {
  expect(after([...opened, 'probe_started', 'failed', 'succeeded'])).toEqual({ state: 'probing', openings: 1 })
})

test('behavior: a throttled circuit opens for the requested time, at least for the backoff', () => {
  const throttled = (forMs: number) => ({ kind: 'throttled' as const, forMs })
  expect(after([throttled(7_000)])).toMatchObject({ state: 'open', openUntilMs: 7_000 })
  expect(after([throttled(0)])).toMatchObject({ state: 'open', openUntilMs: 500 })
})

test('behavior: queries throttled at the same time are one opening with the longest time', () => {
  const throttled = (forMs: number) => ({ kind: 'throttled' as const, forMs, atMs: 0 })
  const events = [throttled(1_000), throttled(9_000), throttled(2_000)]
  expect(after(events)).toEqual({ state: 'open', openings: 1, openUntilMs: 9_000 })
})

test('behavior: a throttled probe opens the circuit for the requested time', () => {
  const events = [...opened, 'probe_started' as const, { kind: 'probe_failed' as const, forMs: 60_000, atMs: 5 }]
  expect(after(events)).toMatchObject({ state: 'open', openUntilMs: 60_005 })
})

test('behavior: a probe started before the throttling does not shorten it', () => {
  const events = [
    ...failures(failuresMax),
    { kind: 'throttled' as const, forMs: 60_000, atMs: 5 },
    'probe_succeeded' as const,
  ]
  expect(after(events)).toMatchObject({ state: 'open', openUntilMs: 60_005 })
})
