import { joinRuns, type MetricHelp, repeat, toSeconds } from '@tallystick/base'
import type { Finding } from '@tallystick/core'
import { curvesChannel } from '../curve/curve-store.ts'
import type { IssuerHost } from '../issuer-host.ts'
import { isOpen } from '../protection/keep-protected.ts'
import type { SignerProtection } from '../protection/signer-protection.ts'
import { type Discrepancy, discrepancyKinds, findDiscrepancies, type NoteRecords } from './find-discrepancies.ts'

export const discrepancyMetricHelp: MetricHelp = {
  tallystick_books_differ:
    'ALARM: periods whose notes differ between memory, signer journal, shared protection and database, by chain and kind.',
}

export type DiscrepancyMonitor = {
  /** Compares now. Never throws. If the database cannot be read, the last result stays. */
  compare(): Promise<void>
  check(): Finding
  stop(): Promise<void>
}

type ComparedNotes = {
  readonly records: NoteRecords
  readonly protection: Pick<SignerProtection, 'contradictions'> | undefined
}

const compareEveryMs = 60_000
// Discrepancies are checked more often, so that the replica is ready soon after they are resolved.
const recheckEveryMs = 5_000

/** Compares memory, journal and database at the start, every minute, and after each curve change. */
export async function startDiscrepancyMonitor(
  { time, metrics, log }: Pick<IssuerHost, 'time' | 'metrics' | 'log'>,
  { records, protection }: ComparedNotes,
): Promise<DiscrepancyMonitor> {
  const { database, chains } = records
  const logChanges = createDiscrepancyLogger(log)
  let compared: readonly Discrepancy[] = []
  const listDiscrepancies = () => [...compared, ...listContradictions(protection, toSeconds(time.now()))]
  let comparedAt = 0
  const { run: compare, settle } = joinRuns(async () => {
    try {
      comparedAt = time.monotonic()
      compared = await findDiscrepancies(records, toSeconds(time.now()))
      logChanges(listDiscrepancies())
    } catch (error) {
      log.warn({ err: error }, 'comparing memory, journal and database failed; keeping the last result')
    }
  })
  metrics.gauge('tallystick_books_differ', () => {
    const discrepancies = listDiscrepancies()
    return chains.flatMap(({ id: chain }) =>
      discrepancyKinds.map((kind) => {
        const { length: value } = discrepancies.filter((one) => one.chainId === chain && one.kind === kind)
        return { labels: { chain, kind }, value }
      }),
    )
  })
  await compare()
  const stopListening = await database.listen(curvesChannel, () => void compare())
  const checking = repeat(time, { name: 'comparison of notes', ms: recheckEveryMs }, () => {
    if (listDiscrepancies().length > 0 || time.monotonic() - comparedAt >= compareEveryMs) void compare()
  })
  return {
    compare: async () => {
      // A comparison in progress may have read the database before the latest change.
      await settle()
      await compare()
    },
    check: () => {
      const discrepancies = listDiscrepancies()
      const subject = 'signed notes'
      if (discrepancies.length === 0) return { subject, severity: 'ok', message: 'memory, journal and database agree' }
      const message = discrepancies.map((one) => `${one.kind}: ${one.message}`).join(' ')
      return { subject, severity: 'unready', message, remedy }
    },
    stop: async () => {
      checking.stop()
      await stopListening()
      await settle()
    },
  }
}

const remedy = 'Run `tallystick notes reconcile`. See "Signed notes differ" in docs/operating/incidents.md.'

/** Lists the contradictions with the shared protection whose notes are still valid, or not yet. */
function listContradictions(protection: ComparedNotes['protection'], nowSeconds: bigint): Discrepancy[] {
  const open = (protection?.contradictions() ?? []).filter((one) => isOpen(one, nowSeconds))
  return open.map(({ chainId, message }) => ({ chainId, kind: 'protection_contradicted', message }))
}

/** Creates a function that logs each new discrepancy, and when none is left. */
function createDiscrepancyLogger(log: IssuerHost['log']) {
  let logged = new Set<string>()
  return (discrepancies: readonly Discrepancy[]) => {
    for (const { chainId, kind, message } of discrepancies) {
      if (!logged.has(message)) log.error({ chain: chainId, kind }, `signed notes differ: ${message}`)
    }
    if (logged.size > 0 && discrepancies.length === 0) log.info('memory, journal and database agree again')
    logged = new Set(discrepancies.map(({ message }) => message))
  }
}
