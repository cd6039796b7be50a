import { existsSync } from 'node:fs'
import { formatPeriod, periodAt, TallystickError } from '@tallystick/core'
import { type Database, openDatabase } from '@tallystick/database'
import {
  type ClaimConflict,
  compareAll,
  hasClaims,
  JournalError,
  readJournal,
  readPeriods,
  toClaims,
} from '@tallystick/issuer'
import { type Config, locateDatabase } from '@tallystick/service'
import type { Findings } from './findings.ts'

type ProtectionCheckContext = { readonly config: Pick<Config, 'signer' | 'database'>; readonly isRunning: boolean }

/** Compares the journal with the database of `signer.protection`, if there is one. Changes nothing in it. */
export async function checkProtection(
  findings: Findings,
  { config: { signer, database: own }, isRunning }: ProtectionCheckContext,
): Promise<void> {
  const url = signer.protection?.reveal()
  if (url === undefined) return
  if (url === '') return findings.skip('protection', 'signer.protection is not set for this user')
  let database: Database | undefined
  try {
    database = await openDatabase(url, { connectionsMax: 1, statementTimeoutMs: 5_000 })
    if (serverOf(url) === serverOf(own.reveal())) {
      const advice = 'Use another server, with backups of its own: a restore of this one may restore both.'
      findings.warn('protection server', 'signer.protection is on the server of the database', advice)
    }
    await checkClaims(findings, { database, path: signer.journal, isRunning })
  } catch (error) {
    const { code } = error as { readonly code?: string }
    const found = error instanceof TallystickError ? error.message : `a statement failed (${code ?? 'unknown'})`
    const advice =
      '"Shared protection" in docs/operating/signer-journal.md has the table and its permissions. Nothing is signed without it.'
    findings.fail('protection', found, advice)
  } finally {
    await database?.close()
  }
}

async function checkClaims(
  findings: Findings,
  { database, path, isRunning }: { readonly database: Database; readonly path: string; readonly isRunning: boolean },
): Promise<void> {
  const { label } = database
  if (!(await hasClaims(database))) return findings.ok('protection', `${label} is empty: the next start prepares it`)
  const [may] = await database.query<{ readonly insert: boolean; readonly count: bigint }>(
    `select has_table_privilege('signer_claims', 'insert') as insert, count(*) from signer_claims`,
  )
  if (!may?.insert) throw new JournalError({ reason: 'protection_failed', message: `${label} allows no insert` })
  const differing = await compareJournal(database, path)
  const conflict = differing.find(({ claimed }) => claimed)
  if (conflict) {
    const { chainId, periodStart, tenorDays, coupon } = conflict.refused
    const found = `the journal has ${coupon} bps for the ${tenorDays}-day note of ${formatPeriod(periodAt(periodStart))} on chain ${chainId}, and ${label} has ${conflict.claimed?.coupon} bps`
    const advice = 'Two replicas signed it. "Restore" in docs/operating/database.md says what to do.'
    return findings.warn('protection', found, advice)
  }
  const missing = differing.length === 0 ? '' : `, ${differing.length} of this journal are missing`
  const when = differing.length === 0 ? '' : isRunning ? ': the service adds them' : ': the next start adds them'
  findings.ok('protection', `${label} has ${may.count} rows${missing}${when}`)
}

const batchSize = 500

async function compareJournal(database: Database, path: string): Promise<ClaimConflict[]> {
  if (!existsSync(path)) return []
  const claims = [...(await readPeriods(readJournal(path)))].flatMap(toClaims)
  const found: ClaimConflict[] = []
  for (let index = 0; index < claims.length; index += batchSize) {
    found.push(...(await compareAll(database, claims.slice(index, index + batchSize))))
  }
  return found
}

function serverOf(url: string): string | undefined {
  return locateDatabase(url)?.replace(/\/.*$/, '')
}
