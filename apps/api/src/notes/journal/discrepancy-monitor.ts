import type { Logger } from 'pino'
import type { Check } from '../../admin/readiness.ts'
import { type Clock, toSeconds } from '../../clock.ts'
import type { MetricHelp, Metrics } from '../../metrics.ts'
import { curvesChannel } from '../curve/curve-store.ts'
import { type Discrepancy, discrepancyKinds, findDiscrepancies, type NoteRecords } from './find-discrepancies.ts'

export const discrepancyMetricHelp: MetricHelp = {
  tallystick_books_differ:
    'ALARM: periods whose notes differ between memory, signer journal and database, by chain and kind.',
}

export type DiscrepancyMonitor = {
  /** Compares now. Never throws: if the database cannot be read, the last result stays. */
  compare(): Promise<void>
  check(): Check
  stop(): Promise<void>
}

const compareEveryMs = 60_000
// A difference is looked at again sooner, so that the replica is ready soon after it is repaired.
const recheckEveryMs = 5_000

/** Compares memory, journal and database at the start, every minute, and after each change of curves. */
export async function startDiscrepancyMonitor(
  parts: NoteRecords & { readonly clock: Clock; readonly metrics: Metrics; readonly log: Logger },
): Promise<DiscrepancyMonitor> {
  const { database, clock, metrics, chains } = parts
  const tell = createTell(parts.log)
  let differences: readonly Discrepancy[] = []
  let running: Promise<void> | undefined
  let comparedAt = 0
  const run = async () => {
    try {
      comparedAt = performance.now()
      differences = await findDiscrepancies(parts, toSeconds(clock.now()))
      tell(differences)
    } catch (error) {
      parts.log.warn({ err: error }, 'memory, journal and database cannot be compared; the last result stays')
    }
  }
  const compare = () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
  metrics.gauge('tallystick_books_differ', () =>
    chains.flatMap(({ id: chain }) =>
      discrepancyKinds.map((kind) => ({ labels: { chain, kind }, value: count(differences, { chain, kind }) })),
    ),
  )
  await compare()
  const stopListening = await database.listen(curvesChannel, () => void compare())
  const tick = setInterval(() => {
    if (differences.length > 0 || performance.now() - comparedAt >= compareEveryMs) void compare()
  }, recheckEveryMs).unref()
  return {
    compare: async () => {
      // One that runs already may have read before the change it is to see.
      await running
      await compare()
    },
    check: () => {
      const ok = differences.length === 0
      const detail = ok
        ? 'memory, journal and database agree'
        : differences.map(({ kind, message }) => `${kind}: ${message}`).join(' ')
      return { name: 'signed notes', ok, detail, required: true }
    },
    stop: async () => {
      clearInterval(tick)
      await stopListening()
      await running
    },
  }
}

function count(
  differences: readonly Discrepancy[],
  { chain, kind }: { readonly chain: number; readonly kind: Discrepancy['kind'] },
): number {
  return differences.filter((difference) => difference.chainId === chain && difference.kind === kind).length
}

/** One line when a difference appears and one when all are gone. */
function createTell(log: Logger) {
  let said = new Set<string>()
  return (differences: readonly Discrepancy[]) => {
    for (const { chainId, kind, message } of differences) {
      if (!said.has(message)) log.error({ chain: chainId, kind }, `signed notes differ: ${message}`)
    }
    if (said.size > 0 && differences.length === 0) log.info('memory, journal and database agree again')
    said = new Set(differences.map(({ message }) => message))
  }
}
