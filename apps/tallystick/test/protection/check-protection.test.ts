// @module-tag postgres

import { openDatabase } from '@tallystick/database'
import { createSignerProtection, prepareClaims } from '@tallystick/issuer'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabase, newEmptyDatabase } from '../../../../packages/service/test/harness.ts'
import { domain, entryOf, newPath, openAt, period } from '../../../../packages/service/test/journal/signer-journals.ts'
import { checkProtection } from '../../src/doctor/check-protection.ts'
import { createFindings } from '../../src/doctor/findings.ts'

async function check(protection: string | undefined, journal: string) {
  const findings = createFindings('journal')
  const secret = (url: string) => ({ reveal: () => url })
  const signer = {
    kind: 'private-key',
    key: secret(''),
    journal,
    ...(protection !== undefined && { protection: secret(protection) }),
  } as const
  const config = { database: secret('postgres://elsewhere.example/tally'), signer }
  await checkProtection(findings, { config: config as never, isRunning: false })
  return findings.list.map(({ severity, message }) => `${severity}: ${message}`)
}

test('default: the doctor compares the journal with the protection, and changes neither', async () => {
  const url = await newEmptyDatabase()
  const path = await newPath()
  const journal = await openAt(path)
  await journal.append(entryOf())
  expect(await check(undefined, path)).toEqual([])
  expect(await check('', path)).toEqual(['skipped: signer.protection is not set for this user'])
  expect(await check(url, path)).toEqual([expect.stringMatching(/^ok: .* is empty: the next start prepares it$/)])
  const database = await openDatabase(url)
  onTestFinished(() => database.close())
  expect(await database.query("select to_regclass('signer_claims')::text as found")).toEqual([{ found: null }])

  await prepareClaims(database)
  expect(await check(url, path)).toEqual([
    expect.stringMatching(/^ok: .* has 0 rows, 1 of this journal are missing: the next start adds them$/),
  ])
  const protection = createSignerProtection(url)
  onTestFinished(() => protection.close())
  const [note] = journal.periods()
  const [first] = note?.notes ?? []
  if (!first) throw new Error('the journal has a note')
  const claim = { ...first, chainId: 324, domain, periodStart: period.start }
  await protection.claim([{ ...claim, digest: `0x${'0'.repeat(64)}`, coupon: 369n }])
  expect(await check(url, path)).toEqual([
    expect.stringMatching(/^warn: the journal has 440 bps for the 7-day note of .* on chain 324, and .* has 369 bps$/),
  ])
  await protection.discard(claim)
  await protection.claim([claim])
  expect(await check(url, path)).toEqual([expect.stringMatching(/^ok: .* has 3 rows$/)])
})

test('error: the doctor finds a wrong database, and one that cannot be reached', async () => {
  const path = await newPath()
  expect(await check(await newDatabase(), path)).toEqual([expect.stringContaining('is the database of a service')])
  expect(await check('postgres://a:hunter2@127.0.0.1:1/none', path)).toEqual([
    expect.stringMatching(/^fail: PostgreSQL 127\.0\.0\.1:1\/none cannot be used/),
  ])
})
