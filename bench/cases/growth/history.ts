import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { createTime } from '@tallystick/base'
import { listPeriods, maturityOf, newYorkDate, type Period, periodAt } from '@tallystick/core'
import { openDatabase } from '@tallystick/database'
import { createJournalEntry, encodeEntry } from '@tallystick/issuer'
import { loadConfig } from '@tallystick/service'
import { seedPeriods } from '../../../packages/service/test/seed-periods.ts'
import { createBenchKey, createSite, pool, type Site, setBenchCurve } from '../../service.ts'
import { getOf, measureRestarted, type Sample } from './sample.ts'

const points = { 7: 369, 14: 365, 30: 362, 60: 358, 90: 355, 180: 350, 360: 340 }
const chainId = 324
const zero = `0x${'0'.repeat(64)}` as const
const signature = { r: zero, s: zero, v: 27 } as const

/** Measures pages of the history, with so many signed sets of seven notes before the current period. */
export async function measureHistory(count: number, url: string): Promise<Sample> {
  const site = createSite({ database: url })
  setBenchCurve(site)
  const key = createBenchKey(site)
  const today = periodAt(BigInt(Math.floor(createTime().now() / 1000))).noteDay
  const periods = listPeriods({ from: newYorkDate(today - BigInt(count) * 43_200n), days: count / 2 })
  const database = await openDatabase(url)
  await seedPeriods(database, { chainIds: [chainId], periods, coupons: () => points })
  for (const table of ['note_sets', 'notes']) await database.query(`analyze ${table}`)
  await database.close()
  writeJournal(site, periods)
  return measureRestarted(site, {
    notes: getOf('/history/notes?limit=100', key),
    rate: getOf('/history/rate', key),
    current: getOf('/notes', key),
  })
}

/** Writes the sets to the signer journal, as the replica that signed them did. */
function writeJournal(site: Site, periods: readonly Period[]): void {
  const { journal } = loadConfig(site.configPath, { env: site.env, secrets: 'required' }).signer
  const domain = { name: 'NoteSignatureVerifier', version: '1', chainId, verifyingContract: pool } as const
  mkdirSync(dirname(journal), { recursive: true })
  for (const period of periods) {
    const { start, end, noteDay } = period
    const terms = { chainId, startedAt: noteDay, validAfter: start - 1n, validBefore: end, signature }
    const notes = Object.entries(points).map(([tenor, coupon]) => {
      const tenorDays = Number(tenor)
      return { ...terms, tenorDays, coupon: BigInt(coupon), maturityTimestamp: maturityOf({ noteDay, tenorDays }) }
    })
    const curve = {
      ...({ id: 1n, chainId: null, effectiveFrom: start, points, confirmed: true, source: 'manual' } as const),
      ...{ provenance: null, createdBy: 'bench', createdAt: start },
    }
    const set = { chainId, period, signer: pool, curveId: 1n, issuedAt: start, notes } as const
    appendFileSync(journal, encodeEntry(createJournalEntry(set, { domain, curve })))
  }
}
