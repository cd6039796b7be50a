import { joinRuns, type MetricHelp, type Metrics, repeat, type Time } from '@tallystick/base'
import type { Finding } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { LogRange } from '@tallystick/issuer'
import type { Logger } from 'pino'
import type { PublicLog } from './create-public-log.ts'
import { type AlteredRow, digestRows, findAlteredRows } from './find-altered-rows.ts'

export const logMetricHelp: MetricHelp = {
  tallystick_log_entries: 'Entries of the public log that a signed checkpoint covers.',
  tallystick_log_problem: 'ALARM: 1 while the public log contradicts the database, so that nothing is signed.',
  tallystick_log_altered_rows: 'ALARM: rows of the database that differ from their entry in the public log.',
  tallystick_log_mirror_behind: 'ALARM: 1 while the mirror of the public log cannot be written.',
}

/** What to do if the database contradicts the log. */
export const logRemedy = 'Nothing may be lost from it. "A restored database" in docs/log.md explains how to repair it.'

export type RowWatch = {
  /** Compares rows, in a long log not all of them. Never throws. */
  compare(): Promise<void>
  check(): Finding
  stop(): Promise<void>
}

const compareMs = 60_000
const rangeSize = 256
// 16,384 entries: those of a chain in 20 years. In a longer log a round takes more than one minute.
const rangesPerRun = 64
const loggedMax = 10

type RowWatchOptions = {
  readonly database: Pick<Database, 'snapshot'>
  readonly publicLog: Pick<PublicLog, 'head' | 'tree'>
  readonly metrics: Metrics
  readonly log: Logger
  readonly time: Pick<Time, 'setTimer'>
}

/**
 * Compares the rows of curves, notes and signers with their entries, every minute. The database computes a digest of each
 * range, and only ranges whose digest changed are read and verified. A run compares the newest range, those with altered
 * rows, and some of the others in turns: the work per minute does not grow with a long log.
 */
export function startRowWatch({ database, publicLog, metrics, log, time }: RowWatchOptions): RowWatch {
  const verified = new Map<number, VerifiedRange>()
  let altered: readonly AlteredRow[] = []
  let next = 0
  let isStopped = false
  const choose = (count: number) => {
    const others = Array.from({ length: Math.min(count, rangesPerRun) }, (_, at) => (next + at) % count)
    next = (next + rangesPerRun) % count
    return new Set([count - 1, ...altered.map(({ index }) => Math.floor(index / rangeSize)), ...others])
  }
  const run = async () => {
    const size = publicLog.head()?.size ?? 0
    if (size === 0) return
    for (const index of choose(Math.ceil(size / rangeSize))) {
      // A long log would delay the stop.
      if (isStopped) return
      const from = index * rangeSize
      await compareRange(database, { range: { from, to: Math.min(size, from + rangeSize) }, publicLog, verified })
    }
    const found = [...verified.values()].flatMap((range) => range.found).sort((a, b) => a.index - b.index)
    logNew(log, { before: altered, now: found })
    altered = found
  }
  const { run: compare, settle } = joinRuns(() =>
    run().catch((error) => log.warn({ err: error }, 'comparing the database with the public log failed; retrying')),
  )
  metrics.gauge('tallystick_log_altered_rows', () => [{ value: altered.length }])
  void compare()
  const timer = repeat(time, { name: 'rows of the log', ms: compareMs }, compare)
  return {
    compare,
    check: () => {
      const subject = 'rows of the public log'
      if (altered.length === 0) return { subject, severity: 'ok', message: 'its rows are unchanged' }
      const shown = altered.slice(0, loggedMax).map((row) => row.message)
      return { subject, severity: 'warn', message: shown.join('; '), remedy: logRemedy }
    },
    stop: async () => {
      isStopped = true
      timer.stop()
      await settle()
    },
  }
}

/** Result of the last verification of a range. */
type VerifiedRange = { readonly digest: string; readonly found: readonly AlteredRow[] }

type ComparedRange = {
  readonly range: LogRange
  readonly publicLog: Pick<PublicLog, 'tree'>
  readonly verified: Map<number, VerifiedRange>
}

/** Verifies a range unless its digest is that of the last verification. */
async function compareRange(
  database: Pick<Database, 'snapshot'>,
  { range, publicLog, verified }: ComparedRange,
): Promise<void> {
  await database.snapshot(async (snapshot) => {
    const digest = `${range.to}:${await digestRows(snapshot, range)}`
    if (verified.get(range.from)?.digest === digest) return
    const found = await findAlteredRows(snapshot, { tree: publicLog.tree, range })
    verified.set(range.from, { digest, found })
  })
}

function logNew(
  log: Logger,
  { before, now }: { readonly before: readonly AlteredRow[]; readonly now: readonly AlteredRow[] },
): void {
  const known = new Set(before.map(({ message }) => message))
  for (const { index, message } of now.filter((row) => !known.has(row.message)).slice(0, loggedMax)) {
    log.error({ index }, `the database differs from the public log: ${message}`)
  }
  if (before.length > 0 && now.length === 0) log.info('the database agrees with the public log again')
}
