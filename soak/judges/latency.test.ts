import { expect, test } from 'vitest'
import type { InjectedFault } from '../faults/fault.ts'
import type { Exchange } from './judge.ts'
import { createLatency, findSlowness } from './latency.ts'

const exchange = (sentMs: number, tookMs: number, rest: Partial<Exchange> = {}): Exchange => ({
  ...{ replica: 'a', run: 1, endpoint: '/notes', path: '/notes', chains: [324], times: [], steps: [] },
  ...{ sentMs, receivedMs: sentMs + tookMs, answer: { status: 200, headers: {}, body: '' } },
  ...rest,
})
const fault: InjectedFault = { kind: 'reorg', replicas: ['a'], variant: 0, startedMs: 1_000, endedMs: 2_000 }

test('default: percentiles of each phase', () => {
  let nowMs = 0
  const latency = createLatency(() => nowMs)
  for (let ms = 1; ms <= 100; ms++) latency.take(exchange(ms, ms), [])
  nowMs = 200
  latency.enter('hostile')
  latency.take(exchange(200, 7), [])
  nowMs = 300
  latency.enter('pause')
  latency.take(exchange(300, 3), [])
  expect(latency.read()).toEqual({
    calm: { count: 100, p50Ms: 51, p95Ms: 96 },
    hostile: { count: 1, p50Ms: 7, p95Ms: 7 },
    pause: { count: 1, p50Ms: 3, p95Ms: 3 },
  })
})

test('behavior: other endpoints, failures, requests of another phase and requests during a fault are ignored', () => {
  let nowMs = 0
  const latency = createLatency(() => nowMs)
  latency.take(exchange(1, 1, { endpoint: '/rate' }), [])
  latency.take(exchange(1, 1, { answer: undefined }), [])
  latency.take(exchange(990, 10), [fault])
  latency.take(exchange(7_000, 10), [fault])
  latency.take(exchange(7_001, 10), [fault])
  nowMs = 500
  latency.enter('hostile')
  latency.take(exchange(499, 10), [])
  const { calm, hostile } = latency.read()
  expect([calm.count, hostile.count]).toEqual([1, 0])
})

test('behavior: hostile queries slow /notes if it is slower than in the pauses by more than noise', () => {
  const calm = { count: 1_000, p50Ms: 1, p95Ms: 2 }
  const pause = { count: 200, p50Ms: 5, p95Ms: 20 }
  expect(findSlowness({ calm, pause, hostile: { ...pause, p95Ms: 180 } })).toBe(undefined)
  expect(findSlowness({ calm, pause, hostile: { ...pause, p95Ms: 181 } })).toBe(
    'hostile queries slow /notes: p95 181 ms with them, 20 ms in their pauses',
  )
  expect(findSlowness({ calm, pause, hostile: { ...pause, p95Ms: 6_000, count: 199 } })).toBe(undefined)
})
