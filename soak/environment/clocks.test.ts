import { expect, test } from 'vitest'
import type { Offsets } from '../replica.ts'
import { createClocks } from './clocks.ts'
import type { ServiceProcess } from './service-process.ts'

const startsAtMs = Date.parse('2026-11-15T22:50:00Z')
const stepMs = 300_000

/** Fake process that confirms its offsets on demand. */
function createSlowProcess(name: string) {
  const confirmations: (() => void)[] = []
  const offsets: Offsets[] = []
  const serviceProcess: Pick<ServiceProcess, 'name' | 'setOffsets'> = {
    name,
    setOffsets: (given) => {
      offsets.push(given)
      return new Promise((resolve) => confirmations.push(resolve))
    },
  }
  return { serviceProcess: serviceProcess as ServiceProcess, offsets, confirm: () => confirmations.shift()?.() }
}

const span = () => ({ fromMs: Date.now(), toMs: Date.now() })

test('default: time starts at the given instant, with an offset of whole seconds', () => {
  const before = Date.now()
  const clocks = createClocks(startsAtMs)
  const lateMs = clocks.now() - startsAtMs
  expect(lateMs).toBeGreaterThan(-1_000)
  expect(lateMs).toBeLessThan(1_000 + Date.now() - before)
  // Absolute, because the remainder of a negative offset is -0, which differs from 0.
  expect(Math.abs(clocks.offsetsOf('a').clockMs % 1000)).toBe(0)
})

test('behavior: a clock is possibly right until a step is confirmed, and the true time does not change', async () => {
  const clocks = createClocks(startsAtMs)
  const slow = createSlowProcess('a')
  clocks.setProcesses([slow.serviceProcess])
  expect(clocks.steps('a', span())).toEqual([0])
  const stepping = clocks.step('a', stepMs)
  const between = span()
  expect(clocks.steps('a', between)).toEqual([0, stepMs])
  expect(clocks.steps('b', between)).toEqual([0])
  slow.confirm()
  await stepping
  const { trueMs } = clocks.offsetsOf('b')
  expect(slow.offsets).toEqual([{ clockMs: trueMs + stepMs, trueMs }])
  const later = { fromMs: Date.now() + 10, toMs: Date.now() + 20 }
  expect(clocks.steps('a', later)).toEqual([stepMs])
  expect(clocks.times(later)).toEqual([{ fromMs: later.fromMs + trueMs, toMs: later.toMs + trueMs }])
  // An earlier request is judged by the values of its time.
  expect(clocks.steps('a', between)).toEqual([0, stepMs])
})

test('behavior: moving the time also moves a wrong clock, and both times are possible until all processes confirm', async () => {
  const clocks = createClocks(startsAtMs)
  const slow = createSlowProcess('a')
  clocks.setProcesses([slow.serviceProcess])
  const stepping = clocks.step('a', -stepMs)
  slow.confirm()
  await stepping
  const before = clocks.offsetsOf('a').trueMs
  const moving = clocks.moveTo(startsAtMs + 6 * 3_600_000)
  const { clockMs, trueMs } = clocks.offsetsOf('a')
  expect(clockMs).toBe(trueMs - stepMs)
  const at = span()
  expect(clocks.times(at).map(({ fromMs }) => fromMs - at.fromMs)).toEqual([before, trueMs])
  slow.confirm()
  await moving
  expect(slow.offsets.at(-1)).toEqual({ clockMs, trueMs })
  const later = { fromMs: Date.now() + 10, toMs: Date.now() + 20 }
  expect(clocks.times(later)).toHaveLength(1)
})
