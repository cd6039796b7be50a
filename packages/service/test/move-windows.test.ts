// @module-tag postgres

import { TallystickError } from '@tallystick/core'
import { expect, test } from 'vitest'
import { coupons, newDatabase, start, type TestService } from './harness.ts'

const saturday = '2026-11-14T12:00:00-05:00'

/** The coupons moved by as much. */
function movedBy(bps: number): Record<string, number> {
  return Object.fromEntries(Object.entries(coupons).map(([tenor, coupon]) => [tenor, coupon + bps]))
}

/** Sets a curve and lets its boundary come: resolves when it is signed. */
async function sign(service: TestService, { bps, at }: { bps: number; at: string }): Promise<void> {
  await service.operator.setCurve({ points: movedBy(bps), by: 'test' })
  service.clock.hold(Date.parse(at))
  const current = async () => (await service.operator.showNotes()).chains[0]?.current
  await expect.poll(async () => (await current())?.notes[0]?.coupon).toBe(String(coupons[7] + bps))
}

async function refusalOf(service: TestService, bps: number): Promise<string> {
  const error = await service.operator.setCurve({ points: movedBy(bps), by: 'test' }).catch((cause) => cause)
  expect(error).toBeInstanceOf(TallystickError)
  expect(error).toMatchObject({ code: 'rail_refused', details: { reason: 'move_too_large' } })
  return error.message
}

test('error: two moves of 98 bps within a day are refused; after a confirmed curve, moves are measured from it', async () => {
  const service = await start({ databaseUrl: await newDatabase(), at: saturday })
  await sign(service, { bps: -98, at: '2026-11-14T18:00:00-05:00' })
  expect(await refusalOf(service, -196)).toBe(
    'The curve was not stored: the 7-day coupon moves from 369 to 173 bps (-196) within 24 hours. The limit is ' +
      '150 (rails.maxMoveBpsPerDay). If this is intended, confirm it with `tallystick curve set 7=173 14=169 30=166 --confirm`.',
  )
  await service.operator.setCurve({ points: movedBy(-196), confirm: true, by: 'test' })
  service.clock.hold(Date.parse('2026-11-15T00:00:00-05:00'))
  await expect.poll(async () => (await service.operator.showNotes()).chains[0]?.current.notes[0]?.coupon).toBe('173')
  // 98 from the confirmed curve, 196 from the one before it.
  await sign(service, { bps: -98, at: '2026-11-15T18:00:00-05:00' })
  expect(await refusalOf(service, 0)).toContain('from 173 to 369 bps (+196) within 24 hours')
})

test('error: small moves add up to the weekly limit, and expire after a week', async () => {
  const service = await start({ databaseUrl: await newDatabase(), at: saturday })
  for (const [bps, at] of [
    [-75, '2026-11-15T18:00:00-05:00'],
    [-150, '2026-11-17T00:00:00-05:00'],
    [-225, '2026-11-18T00:00:00-05:00'],
  ] as const)
    await sign(service, { bps, at })
  expect(await refusalOf(service, -251)).toMatch(
    /from 369 to 118 bps \(-251\) within 7 days\. .*rails\.maxMoveBpsPerWeek/,
  )
  // The last set at 369 ended at 18:00 of the 15th.
  service.clock.hold(Date.parse('2026-11-22T18:00:00-05:00'))
  await expect.poll(async () => (await service.operator.showNotes()).chains[0]?.current.signed).toBe(true)
  await sign(service, { bps: -251, at: '2026-11-23T00:00:00-05:00' })
})
