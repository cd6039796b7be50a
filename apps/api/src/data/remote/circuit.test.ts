import { expect, test } from 'vitest'
import { type Circuit, type CircuitEvent, circuitAfter, closedCircuit, failuresMax } from './circuit.ts'

/** The circuit after events, each a millisecond of its own unless said otherwise. */
function after(events: readonly (CircuitEvent['kind'] | (CircuitEvent & { readonly atMs?: number }))[]): Circuit {
  return events.reduce<Circuit>((circuit, event, index) => {
    const { atMs = index, ...told } =
      typeof event === 'string' ? ({ kind: event } as CircuitEvent & { atMs?: number }) : event
    return circuitAfter(circuit, { event: told, atMs })
  }, closedCircuit)
}
const failures = (count: number) => new Array<'failed'>(count).fill('failed')
const opened = [...failures(failuresMax), 'probe_failed'] as const

test('default: one less than the limit is nothing', () => {
  expect(after(failures(failuresMax - 1))).toMatchObject({ state: 'closed', isSuspect: false })
})

test('behavior: the limit makes it suspect, and it stays in use', () => {
  expect(after(failures(failuresMax))).toMatchObject({ state: 'closed', isSuspect: true })
})

test('behavior: however many queries fail, they do not open it', () => {
  expect(after(failures(1_000))).toMatchObject({ state: 'closed', isSuspect: true })
})

test('behavior: a success in between begins the count anew', () => {
  const events = [...failures(failuresMax - 1), 'succeeded' as const, ...failures(failuresMax - 1)]
  expect(after(events)).toMatchObject({ state: 'closed', isSuspect: false })
})

test('behavior: the probe opens a suspect', () => {
  expect(after(opened)).toEqual({ state: 'open', openings: 1, restsUntilMs: failuresMax + 500 })
})

test('behavior: a success while the probe was under way speaks against it', () => {
  expect(after([...failures(failuresMax), 'succeeded', 'probe_failed'])).toMatchObject({ state: 'closed', failures: 1 })
})

test('behavior: the probe clears a suspect, whose failures then do not count for a second', () => {
  const cleared = [...failures(failuresMax), { kind: 'probe_succeeded' as const, atMs: 10 }]
  expect(after(cleared)).toMatchObject({ state: 'closed', isSuspect: false, failures: 0 })
  const late = (atMs: number) => ({ kind: 'failed' as const, atMs })
  expect(after([...cleared, late(1_009)])).toMatchObject({ failures: 0 })
  expect(after([...cleared, late(1_010)])).toMatchObject({ failures: 1 })
})

test('behavior: the rests are 0.5, 1, 2, 4, 8, 15 and 15 seconds', () => {
  let circuit = after(opened)
  const rests = Array.from({ length: 7 }, () => {
    const restMs = (circuit.state === 'open' ? circuit.restsUntilMs : Number.NaN) - failuresMax
    circuit = circuitAfter(circuit, { event: { kind: 'probe_started' }, atMs: failuresMax })
    circuit = circuitAfter(circuit, { event: { kind: 'probe_failed' }, atMs: failuresMax })
    return restMs
  })
  expect(rests).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
})

test('behavior: a probe closes it after the rest', () => {
  expect(after([...opened, 'probe_started'])).toEqual({ state: 'probing', openings: 1 })
  expect(after([...opened, 'probe_started', 'probe_succeeded'])).toMatchObject({ state: 'closed', openings: 1 })
})

test('behavior: only a caller’s query makes it forget how long it rested', () => {
  const again = [...opened, 'probe_started' as const, { kind: 'probe_succeeded' as const, atMs: 0 }]
  const later = [...failures(failuresMax), 'probe_failed' as const].map((kind) => ({ kind, atMs: 10_000 }))
  expect(after([...again, ...later])).toMatchObject({ state: 'open', restsUntilMs: 11_000 })
  expect(after([...again, 'succeeded', ...later])).toMatchObject({ state: 'open', restsUntilMs: 10_500 })
})

test.each(['failed', 'succeeded', 'probe_succeeded', 'probe_failed'] as const)(
  'behavior: %s of a call that began before does not move it while it rests',
  (kind) => {
    expect(after([...opened, kind])).toEqual(after(opened))
  },
)

test('behavior: queries that end while it is probed do not decide', () => {
  expect(after([...opened, 'probe_started', 'failed', 'succeeded'])).toEqual({ state: 'probing', openings: 1 })
})

test('behavior: who is sent away rests for as long as was asked, and never less than a rest', () => {
  const sentAway = (forMs: number) => ({ kind: 'sent_away' as const, forMs })
  expect(after([sentAway(7_000)])).toMatchObject({ state: 'open', restsUntilMs: 7_000 })
  expect(after([sentAway(0)])).toMatchObject({ state: 'open', restsUntilMs: 500 })
})

test('behavior: many that are sent away together are one opening, and the longest rest counts', () => {
  const sentAway = (forMs: number) => ({ kind: 'sent_away' as const, forMs, atMs: 0 })
  const events = [sentAway(1_000), sentAway(9_000), sentAway(2_000)]
  expect(after(events)).toEqual({ state: 'open', openings: 1, restsUntilMs: 9_000 })
})

test('behavior: a probe that is sent away rests for as long as was asked', () => {
  const events = [...opened, 'probe_started' as const, { kind: 'probe_failed' as const, forMs: 60_000, atMs: 5 }]
  expect(after(events)).toMatchObject({ state: 'open', restsUntilMs: 60_005 })
})

test('behavior: a probe of before it was sent away does not cut the rest short', () => {
  const events = [
    ...failures(failuresMax),
    { kind: 'sent_away' as const, forMs: 60_000, atMs: 5 },
    'probe_succeeded' as const,
  ]
  expect(after(events)).toMatchObject({ state: 'open', restsUntilMs: 60_005 })
})
