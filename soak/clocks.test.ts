import { expect, test } from 'vitest'
import { createClocks } from './clocks.ts'
import type { Member } from './member.ts'
import type { Offsets } from './offsets.ts'

const startsAtMs = Date.parse('2026-11-15T22:50:00Z')
const stepMs = 300_000

/** A process that confirms its offsets when it is told to. */
function createSlowMember(name: string) {
  const confirmations: (() => void)[] = []
  const offsets: Offsets[] = []
  const member: Pick<Member, 'name' | 'setOffsets'> = {
    name,
    setOffsets: (told) => {
      offsets.push(told)
      return new Promise((resolve) => confirmations.push(resolve))
    },
  }
  return { member: member as Member, offsets, confirm: () => confirmations.shift()?.() }
}

const span = () => ({ fromMs: Date.now(), toMs: Date.now() })

test('default: time begins where it is told to and runs on in whole seconds of distance', () => {
  const clocks = createClocks(startsAtMs)
  expect(Math.abs(clocks.now() - startsAtMs)).toBeLessThan(2_000)
  // Without its sign: the rest of a negative offset is -0, which is another value than 0.
  expect(Math.abs(clocks.offsetsOf('a').clockMs % 1000)).toBe(0)
})

test('behavior: until a step is confirmed the clock may be right or wrong, then only wrong; the true time stays', async () => {
  const clocks = createClocks(startsAtMs)
  const slow = createSlowMember('a')
  clocks.tell([slow.member])
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
  // What was asked before is judged by what could be so then.
  expect(clocks.steps('a', between)).toEqual([0, stepMs])
})

test('behavior: moving the time moves a wrong clock with it, and either time may be true until all know', async () => {
  const clocks = createClocks(startsAtMs)
  const slow = createSlowMember('a')
  clocks.tell([slow.member])
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
