import {
  encodeNote,
  formatPeriod,
  type Note,
  type NotesReport,
  type NoteTimes,
  type Period,
  type PeriodReport,
  type RogueReport,
} from '@tallystick/core'
import type { Database } from '@tallystick/database'
import {
  type DiscardedSet,
  findCurve,
  findNoteSet,
  findRecordedRefusal,
  listPrematureSets,
  type PrematureSet,
  type SigningHorizon,
  withholdReasons,
} from '@tallystick/issuer'
import type { Config } from '../config/config.ts'
import { viewCurve } from './curve-report.ts'
import { toIso } from './key-view.ts'

// The end of the year 9999. A note in a file may have any time.
const secondsMax = 253_402_300_799n

export function describeTimes({ maturityTimestamp, startedAt, validAfter, validBefore }: Note): NoteTimes {
  const describe = (seconds: bigint) => (seconds > secondsMax ? null : toIso(seconds))
  return {
    maturity: describe(maturityTimestamp),
    started: describe(startedAt),
    validAfter: describe(validAfter),
    validBefore: describe(validBefore),
  }
}

function reportRogue({ chainId, period, issuedAt }: PrematureSet): RogueReport {
  const start = toIso(period.start)
  const command = `tallystick notes discard --chain ${chainId} --period ${start}`
  return { chainId, period: formatPeriod(period), start, issuedAt: toIso(issuedAt), command }
}

export type DiscardReport = Omit<DiscardedSet, 'period'> & { readonly period: string; readonly start: string }

export function reportDiscarded({ period, ...discarded }: DiscardedSet): DiscardReport {
  return { ...discarded, period: formatPeriod(period), start: toIso(period.start) }
}

type ReportedNotes = {
  readonly config: Pick<Config, 'chains' | 'rails'>
  readonly nowSeconds: bigint
  readonly current: Period
  readonly next: Period
  readonly signable: SigningHorizon
}

export async function reportNotes(
  database: Database,
  { config, nowSeconds, current, next, signable }: ReportedNotes,
): Promise<NotesReport> {
  const { rails } = config
  const chains = await Promise.all(
    config.chains.map(async ({ id, name }) => {
      const set = await findNoteSet(database, { chainId: id, periodStart: current.start })
      const notes = (set?.notes ?? []).map((note) => {
        return { tenorDays: note.tenorDays, times: describeTimes(note), ...encodeNote(note) }
      })
      return {
        chainId: id,
        name,
        current: { ...(await reportPeriod(database, { chainId: id, period: current, rails })), notes },
        next: await reportPeriod(database, { chainId: id, period: next, rails }),
      }
    }),
  )
  const rogue = (await listPrematureSets(database, signable)).map(reportRogue)
  return { now: toIso(nowSeconds), chains, rogue }
}

const alwaysWithheld = withholdReasons.filter((reason) => reason !== 'pool_refuses')

async function reportPeriod(
  database: Database,
  { chainId, period, rails }: { readonly chainId: number; readonly period: Period; readonly rails: Config['rails'] },
): Promise<PeriodReport> {
  const key = { chainId, periodStart: period.start }
  const set = await findNoteSet(database, key)
  const curve = set && (await findCurve(database, set.curveId))
  const recorded = await findRecordedRefusal(database, key)
  // Refusals recorded before the set was signed are obsolete. Only these concern a signed set.
  const isWithheld =
    (rails.earlierSigner === 'withhold' && recorded?.reason === 'earlier_signer') ||
    (rails.preflight === 'require' && recorded?.reason === 'pool_refuses') ||
    alwaysWithheld.some((reason) => reason === recorded?.reason)
  return {
    period: formatPeriod(period),
    start: toIso(period.start),
    end: toIso(period.end),
    signed: set !== undefined,
    signer: set?.signer ?? null,
    issuedAt: set ? toIso(set.issuedAt) : null,
    curve: curve ? viewCurve(curve) : null,
    refusal: set && !isWithheld ? null : (recorded ?? null),
  }
}
