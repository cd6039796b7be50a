import type { CurveProvenance } from '@tallystick/core'
import { findSameCurve, insertCurve } from '@tallystick/issuer'
import { databaseEngines } from '@tallystick/workbench/test-database'
import { describe, expect, test } from 'vitest'
import { openServiceDatabase } from '../src/database/service-database.ts'
import { newDatabase } from './harness.ts'

const provenance: CurveProvenance = {
  source: 'treasury',
  sourceDate: '2026-11-13',
  basis: 'discount',
  spreadBps: -5,
  interpolation: 'linear-in-days, flat beyond the ends',
  rounding: 'half up',
  bills: [{ weeks: 4, days: 28, cusip: null, maturityDate: null, ratePercent: '3.69', bps: '369.0000' }],
  missingBills: [],
  documentSha256: 'ab'.repeat(32),
  url: 'https://home.treasury.gov/feed',
  fetchedAt: '2026-11-13T22:00:00Z',
}

const curve = {
  chainId: null,
  effectiveFrom: 1_794_718_800n,
  points: { 7: 369, 30: 362 },
  confirmed: false,
  source: 'treasury',
  provenance,
  createdBy: 'treasury “feed”',
  createdAt: 1_794_700_000n,
} as const

describe.each(databaseEngines)('a curve is found by its content on %s', (engine) => {
  test('behavior: an equal curve is found, a different one is not', async () => {
    const database = await openServiceDatabase(await newDatabase(engine), () => undefined)
    const manual = { ...curve, chainId: 324, source: 'manual', provenance: null } as const
    const { id } = await insertCurve(database, curve)
    await insertCurve(database, curve)
    const { id: manualId } = await insertCurve(database, manual)
    expect((await findSameCurve(database, curve))?.id).toBe(id)
    expect((await findSameCurve(database, manual))?.id).toBe(manualId)
    const others = [
      { chainId: 324 },
      { effectiveFrom: 1_794_718_801n },
      { points: { 7: 369, 30: 363 } },
      { points: { 7: 369 } },
      { confirmed: true },
      { source: 'manual' },
      { provenance: null },
      { provenance: { ...provenance, spreadBps: 5 } },
      { createdBy: 'treasury' },
      { createdAt: 0n },
    ] as const
    for (const other of others) expect(await findSameCurve(database, { ...curve, ...other })).toBeUndefined()
    await database.close()
  })
})
