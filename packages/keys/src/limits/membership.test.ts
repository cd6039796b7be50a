import { expect, test } from 'vitest'
import { beliefMs, createMembership, joinMs, liveMs } from './membership.ts'

const seen = (...ids: readonly string[]) => ids.map((id) => ({ id, ageMs: 0 }))

/** Returns the membership of replica `b`, updated every 250 ms from 0 to an instant with the same replicas. */
function createSteady(ids: readonly string[], untilMs: number) {
  const membership = createMembership('b')
  for (let ms = 0; ms <= untilMs; ms += 250) membership.update(seen(...ids), ms)
  return membership
}

test('default: before the first reading a replica knows itself, and no outage', () => {
  const membership = createMembership('b')
  expect([...membership.live()]).toEqual(['b'])
  expect(membership.beliefs()).toEqual([['b']])
  expect(membership.lastOutage()).toEqual({ endedMs: Number.NEGATIVE_INFINITY, durationMs: 0 })
})

test('default: a replica alone counts at once', () => {
  const membership = createMembership('b')
  membership.update(seen('b'), 1_000)
  expect([...membership.live()]).toEqual(['b'])
  expect(membership.beliefs()).toEqual([['b'], ['b']])
})

test('behavior: those who were here first know each other, and this one after the time to join', () => {
  const membership = createMembership('b')
  membership.update(seen('c', 'a', 'b'), 0)
  expect([...membership.live()].sort()).toEqual(['a', 'b', 'c'])
  expect(membership.beliefs()).toEqual([
    ['a', 'b', 'c'],
    ['a', 'c'],
  ])
  membership.update(seen('c', 'a', 'b'), joinMs - 1)
  expect(membership.beliefs()[1]).toEqual(['a', 'c'])
  membership.update(seen('c', 'a', 'b'), joinMs)
  expect(membership.beliefs()).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ])
})

test('behavior: one that comes later counts when all others must know it', () => {
  const membership = createSteady(['b'], 10_000)
  membership.update(seen('b', 'a'), 10_250)
  expect(membership.beliefs()).toEqual([['a', 'b'], ['b']])
  for (let ms = 10_500; ms < 10_250 + beliefMs; ms += 250) {
    membership.update(seen('b', 'a'), ms)
    expect(membership.beliefs()).toEqual([['a', 'b'], ['b']])
  }
  membership.update(seen('b', 'a'), 10_250 + beliefMs)
  expect(membership.beliefs()).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ])
})

test('behavior: one that has gone is believed in until all others must know it', () => {
  const membership = createSteady(['a', 'b'], 10_000)
  for (let ms = 10_250; ms <= 10_000 + beliefMs; ms += 250) {
    membership.update(seen('b'), ms)
    expect(membership.beliefs()).toEqual([['a', 'b'], ['b']])
  }
  expect([...membership.live()]).toEqual(['b'])
  membership.update(seen('b'), 10_001 + beliefMs)
  expect(membership.beliefs()).toEqual([['b'], ['b']])
})

test('behavior: a heartbeat is good for less than five intervals', () => {
  const membership = createSteady(['a', 'b'], 10_000)
  membership.update([{ id: 'a', ageMs: liveMs - 1 }], 10_250)
  expect(membership.live().has('a')).toBe(true)
  membership.update([{ id: 'a', ageMs: liveMs }], 10_500)
  expect(membership.live().has('a')).toBe(false)
})

test('behavior: an own heartbeat that is old does not count against oneself', () => {
  const membership = createSteady(['b'], 10_000)
  membership.update([{ id: 'b', ageMs: liveMs * 2 }], 10_250)
  expect([...membership.live()]).toEqual(['b'])
})

test('behavior: a new replica assumes an outage of a minute before its first reading', () => {
  const membership = createMembership('b')
  membership.update(seen('b'), 7_000)
  expect(membership.lastOutage()).toEqual({ endedMs: 7_000, durationMs: 60_000 })
})

test('behavior: a gap of more than two seconds between readings is an outage, with 5 s of grace', () => {
  const membership = createSteady(['a', 'b'], 10_000)
  const outage = membership.lastOutage()
  const aged = (ageMs: number) => [
    { id: 'a', ageMs },
    { id: 'dead', ageMs: ageMs + 1 },
  ]
  const oldestMs = liveMs + beliefMs
  membership.update(seen('a', 'b'), 10_000 + beliefMs)
  expect(membership.lastOutage()).toEqual(outage)
  membership.update(aged(oldestMs), 10_001 + 2 * beliefMs)
  expect(membership.lastOutage()).toEqual({ endedMs: 14_001, durationMs: beliefMs + 1 })
  for (const ms of [14_001, 16_000, 18_000, 19_000]) {
    membership.update(aged(oldestMs + ms - 14_001), ms)
    expect([membership.live().has('a'), membership.live().has('dead')]).toEqual([true, false])
  }
  membership.update(aged(oldestMs + 5_000), 19_001)
  expect(membership.live().has('a')).toBe(false)
})
