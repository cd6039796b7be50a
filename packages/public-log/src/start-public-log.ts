import { type Closers, joinRuns, type Metrics, repeat, type Time, toSeconds } from '@tallystick/base'
import type { Finding } from '@tallystick/core'
import type { Auditor, Database } from '@tallystick/database'
import { type ClockMonitor, curvesChannel, type Recorder, type RecordsReport } from '@tallystick/issuer'
import { formatVerifierKey } from '@tallystick/tlog'
import type { Logger } from 'pino'
import { createPublicLog, type PublicLog } from './create-public-log.ts'
import { openLogJournal } from './log-journal.ts'
import { type LogKey, parseLogKey } from './log-key.ts'
import { createLogMirror, type LogMirror } from './log-mirror.ts'
import { logChannel } from './log-store.ts'
import { createNoteLog } from './note-log.ts'
import { type BundleReader, createBundleReader } from './read-bundle.ts'
import { type LogFiles, readMirror, reconcileLog } from './reconcile-log.ts'
import { logRemedy, startRowWatch } from './start-row-watch.ts'

/** The running public log. */
export type RunningLog = {
  readonly publicLog: PublicLog
  readonly noteLog: Recorder
  readonly readBundle: BundleReader
  /** Returns the second up to which entries are public. */
  publicSeconds(): bigint
  reconcile(auditor: Auditor): Promise<RecordsReport>
  checks(): readonly Finding[]
}

export type PublicLogOptions = {
  /** Undefined if no public log is configured. */
  readonly settings: (LogFiles & { readonly signerReason?: string | undefined }) | undefined
  readonly chainIds: readonly number[]
  readonly clocks: Pick<ClockMonitor, 'visibleSeconds'>
  readonly database: Database
  readonly time: Time
  readonly metrics: Metrics
  readonly log: Logger
  readonly say: (line: string) => void
  readonly closers: Pick<Closers, 'push'>
}

const signerReasonDefault = 'the service was configured with another signer'
// Notifications announce changes at once. This covers lost ones, and entries that become public.
const refreshMs = 5_000

/** Opens the public log and follows it. Returns undefined if none is configured. */
export async function startPublicLog(options: PublicLogOptions): Promise<RunningLog | undefined> {
  const { settings, chainIds, clocks, database, time, log, metrics, closers, say } = options
  if (!settings) {
    say('no public log is configured ("log"): nobody can check afterwards what this service signed')
    return undefined
  }
  const key = parseLogKey(settings.key.reveal()) as LogKey
  const journal = await openLogJournal(settings.journal)
  closers.push('journal of the log', () => journal.close())
  const mirror = await readMirror(settings)
  const publicLog = createPublicLog({ database, key, journal, mirrored: mirror?.head, time, log })
  await publicLog.refresh()
  sayLog(say, publicLog)
  const publicSeconds = () => clocks.visibleSeconds(time.now())
  const readBundle = createBundleReader(database, publicSeconds)
  const rows = startRowWatch({ database, publicLog, metrics, log, time })
  closers.push('comparison with the log', () => rows.stop())
  const mirrored = mirror?.head.size ?? 0
  const writer =
    settings.mirror === undefined
      ? undefined
      : createLogMirror(settings.mirror, { log: publicLog, readBundle, mirrored })
  await follow(options, { publicLog, mirror: writer })
  const why = settings.signerReason ?? signerReasonDefault
  return {
    publicLog,
    noteLog: createNoteLog({ database, publicLog, why, time }),
    readBundle,
    publicSeconds,
    reconcile: async (auditor) => {
      const nowSeconds = toSeconds(time.now())
      const report = await reconcileLog(database, { journal, mirror, auditor, chainIds, nowSeconds })
      await publicLog.refresh()
      await rows.compare()
      return report
    },
    checks: () => [checkProblem(publicLog), rows.check()],
  }
}

/** Keeps the log and its mirror up to date until the service stops. */
async function follow(
  { database, log, metrics, closers, time }: PublicLogOptions,
  { publicLog, mirror }: { readonly publicLog: PublicLog; readonly mirror: LogMirror | undefined },
): Promise<void> {
  let isMirrorBehind = false
  const run = async () => {
    await publicLog.refresh()
    const head = publicLog.head()
    if (!mirror || !head) return
    try {
      await mirror.write(head)
      isMirrorBehind = false
    } catch (error) {
      if (!isMirrorBehind) log.error({ err: error }, 'the mirror of the public log cannot be written; retrying')
      isMirrorBehind = true
    }
  }
  const { run: refresh, settle } = joinRuns(() =>
    run().catch((error) => log.warn({ err: error }, 'reading the public log failed; retrying')),
  )
  metrics.gauge('tallystick_log_entries', () => [{ value: publicLog.head()?.size ?? 0 }])
  metrics.gauge('tallystick_log_problem', () => [{ value: publicLog.problem() ? 1 : 0 }])
  metrics.gauge('tallystick_log_mirror_behind', () => [{ value: isMirrorBehind ? 1 : 0 }])
  publicLog.onHead(() => queueMicrotask(refresh))
  const stops = await Promise.all([logChannel, curvesChannel].map((channel) => database.listen(channel, refresh)))
  const timer = repeat(time, { name: 'public log', ms: refreshMs }, refresh)
  closers.push('public log', async () => {
    timer.stop()
    for (const stop of stops) await stop()
    await settle()
  })
  void refresh()
}

function checkProblem(publicLog: PublicLog): Finding {
  const subject = 'public log'
  const problem = publicLog.problem()
  if (problem) return { subject, severity: 'unready', message: problem.message, remedy: logRemedy }
  const message = `${publicLog.head()?.size ?? 0} entries, all covered by a signed checkpoint`
  return { subject, severity: 'ok', message }
}

function sayLog(say: PublicLogOptions['say'], publicLog: PublicLog): void {
  const { name } = publicLog.key
  const problem = publicLog.problem()
  if (problem) say(`PUBLIC LOG ${name}: ${problem.message}`)
  else say(`public log ${name}, size ${publicLog.head()?.size ?? 0}, key ${formatVerifierKey(publicLog.key)}`)
}
