import { expect, test } from 'vitest'
import { createBurstPart } from './burst-part.ts'

test('behavior: no second, wherever it starts, has more requests than the burst', () => {
  const burst = createBurstPart(4)
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
