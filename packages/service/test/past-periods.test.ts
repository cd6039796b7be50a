// @module-tag postgres

import { listPeriods, verifyNote } from '@tallystick/core'
import { openDatabase } from '@tallystick/database'
import { createPrivateKeySigner, findNoteSet, issuePastPeriods, storePastCurves } from '@tallystick/issuer'
import { databaseEngines } from '@tallystick/workbench/test-database'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabase, prepare, signerKey } from './harness.ts'

test.each(databaseEngines)('default: past periods are signed and stored with their curves on %s', async (engine) => {
  const databaseUrl = await newDatabase(engine)
  const { config } = await prepare({ databaseUrl })
  const database = await openDatabase(databaseUrl)
  onTestFinished(() => database.close())
  const signer = createPrivateKeySigner(signerKey)
  const past = listPeriods({ from: '2026-10-31', days: 2 }).map(({ day, ...period }, index) => ({
    period,
    points: { 7: 350 + index, 14: 340, 30: 330 },
  }))
  await storePastCurves(database, past)
  await issuePastPeriods({ database, signer }, { chains: config.chains, past })
  const [chain] = config.chains
  for (const { period, points } of past) {
    const set = await findNoteSet(database, { chainId: 324, periodStart: period.start })
    expect(set).toMatchObject({ period, signer: signer.address, issuedAt: period.start })
    expect(Object.fromEntries(set?.notes.map(({ tenorDays, coupon }) => [tenorDays, Number(coupon)]) ?? [])).toEqual(
      points,
    )
    const [curve] = await database.query<{ points: object }>('select points from curves where id = $1', [set?.curveId])
    expect(curve?.points).toEqual(points)
    for (const note of set?.notes ?? []) {
      expect(await verifyNote(note, { domain: chain!.domain, signer: signer.address })).toMatchObject({ valid: true })
    }
  }
  await issuePastPeriods({ database, signer }, { chains: config.chains, past: [] })
})
