import { expect, test } from 'vitest'
import { createBurstLimit } from './burst-limit.ts'

test('behavior: no second, wherever it starts, has more requests than the burst', () => {
  const burst = createBurstLimit(4)
  const allowed: number[] = []
  for (let ms = 0; ms < 10_000; ms += 37) {
    if (!burst.hasRoom(ms)) continue
    burst.spend(ms)
    allowed.push(ms)
  }
  const most = Math.max(...allowed.map((from) => allowed.filter((ms) => ms >= from && ms < from + 1_000).length))
  expect(most).toBe(4)
  expect(allowed.length).toBeGreaterThanOrEqual(36)
})

test('default: it has a name, and one second', () => {
  expect(createBurstLimit(4)).toMatchObject({ name: 'burst', limit: 4, windowSeconds: 1 })
})

test('behavior: what is left is 1 or 0, and a second later there is room again', () => {
  const burst = createBurstLimit(2)
  expect([burst.remaining(), burst.resetSeconds(0), burst.retrySeconds(0)]).toEqual([1, 1, 1])
  for (const ms of [0, 300]) {
    expect(burst.hasRoom(ms)).toBe(true)
    burst.spend(ms)
  }
  expect(burst.remaining()).toBe(0)
  expect([burst.hasRoom(999), burst.hasRoom(1_000)]).toEqual([false, true])
  burst.spend(1_000)
  expect([burst.hasRoom(1_299), burst.hasRoom(1_300)]).toEqual([false, true])
})

test('behavior: requests that another part counts before the first check do no harm', () => {
  const burst = createBurstLimit(1)
  burst.spend(0)
  expect(burst.remaining()).toBe(1)
})
