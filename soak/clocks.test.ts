import { expect, test } from 'vitest'
import { createClocks } from './clocks.ts'
import type { Member } from './member.ts'

const startsAtMs = Date.parse('2026-11-15T22:50:00Z')
const stepMs = 300_000

/** A process that confirms its offsets when it is told to. */
function createSlowMember(name: string) {
  const confirmations: (() => void)[] = []
  const offsets: number[] = []
  const member: Pick<Member, 'name' | 'setOffset'> = {
    name,
    setOffset: (offsetMs) => {
      offsets.push(offsetMs)
      return new Promise((resolve) => confirmations.push(resolve))
    },
  }
  return { member: member as Member, offsets, confirm: () => confirmations.shift()?.() }
}

const span = (): { fromMs: number; toMs: number } => ({ fromMs: Date.now(), toMs: Date.now() })
const offsetsIn = (clocks: ReturnType<typeof createClocks>, at = span()) =>
  clocks.readings('a', at).map(({ fromMs }) => fromMs - at.fromMs - clocks.offsetOf('b'))

test('default: time begins where it is told to and runs on in whole seconds of distance', () => {
  const clocks = createClocks(startsAtMs)
  expect(Math.abs(clocks.now() - startsAtMs)).toBeLessThan(2_000)
  // Without its sign: the rest of a negative offset is -0, which is another value than 0.
  expect(Math.abs(clocks.offsetOf('a') % 1000)).toBe(0)
})

test('behavior: until a step is confirmed either time may be read, then only the new one', async () => {
  const clocks = createClocks(startsAtMs)
  const slow = createSlowMember('a')
  clocks.tell([slow.member])
  expect(offsetsIn(clocks)).toEqual([0])
  const stepping = clocks.step('a', stepMs)
  const between = span()
  expect(offsetsIn(clocks, between)).toEqual([0, stepMs])
  slow.confirm()
  await stepping
  expect(slow.offsets).toEqual([clocks.offsetOf('b') + stepMs])
  const later = { fromMs: Date.now() + 10, toMs: Date.now() + 20 }
  expect(offsetsIn(clocks, later)).toEqual([stepMs])
  // What was asked before is judged by what could be read then.
  expect(offsetsIn(clocks, between)).toEqual([0, stepMs])
})

test('behavior: moving the time moves a stepped clock with it', async () => {
  const clocks = createClocks(startsAtMs)
  const slow = createSlowMember('a')
  clocks.tell([slow.member])
  const stepping = clocks.step('a', -stepMs)
  slow.confirm()
  await stepping
  const moving = clocks.moveTo(startsAtMs + 6 * 3_600_000)
  slow.confirm()
  await moving
  expect(clocks.offsetOf('a')).toBe(clocks.offsetOf('b') - stepMs)
  expect(slow.offsets.at(-1)).toBe(clocks.offsetOf('a'))
})
