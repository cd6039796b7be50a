import { backoffMs } from '@tallystick/base/pure'
import { followChains, forgetIfNeeded, readHeads, setsForLends } from './lends/follow-chains.ts'
import { followLog } from './log/follow-log.ts'
import { createMonitorContext, type MonitorContext, type MonitorOptions, saveProgress } from './monitor-context.ts'

/** Result of a round. */
type Round = {
  /** Findings of this round, also those that were known. */
  readonly findings: number
  /** What could not be checked. */
  readonly warnings: number
  /** Whether the log was read to its end, as far as its bytes are public. */
  readonly isLogRead: boolean
  /** Whether more rounds are needed for the lends up to now. */
  readonly isBehind: boolean
}

export type Monitor = ReturnType<typeof createMonitor>

const backoffMsMax = 60_000
// Longer than a set that the service does not have is waited for.
const waitMsMax = 45_000
const waitStepMs = 5_000

/** Creates a monitor of a log. It starts no work by itself. */
export function createMonitor(options: MonitorOptions) {
  const context = createMonitorContext(options)
  const { say, key, signal, pause } = context
  forgetIfNeeded(context)
  say({ event: 'start', origin: key.name, message: describeStart(context) })
  const check = () => checkOnce(context)
  return {
    context,
    /** Reads and checks all that is new, once. */
    check,
    /** Checks until nothing is left. Lends of a period that has just begun may have to wait for their set. */
    checkAll: async (): Promise<Round> => {
      const endsAt = context.time.monotonic() + waitMsMax
      for (;;) {
        const round = await check()
        const isWaiting = context.undecided.size > 0 && context.time.monotonic() < endsAt && !signal.aborted
        if (!(round.isLogRead && round.isBehind) && !isWaiting) return { ...round, findings: context.found.size }
        if (isWaiting) await pause(waitStepMs)
      }
    },
    /** Checks again and again until the signal aborts. */
    run: async (intervalMs: number) => {
      let failures = 0
      while (!signal.aborted) {
        const { isLogRead, isBehind } = await check()
        failures = isLogRead ? 0 : failures + 1
        if (isLogRead && isBehind) continue
        const maxMs = Math.max(intervalMs, backoffMsMax)
        if (!signal.aborted)
          await pause(failures === 0 ? intervalMs : backoffMs(failures - 1, { minMs: intervalMs, maxMs }))
      }
    },
  }
}

async function checkOnce(context: MonitorContext): Promise<Round> {
  const { warnings } = context
  const findingsBefore = context.findingsSeen
  const heads = await readHeads(context)
  const readLog = () => followLog(context, setsForLends(context, heads))
  const wasRead = await readLog()
  // New entries may name a pool or an earlier period.
  const isLogRead = forgetIfNeeded(context) ? await readLog() : wasRead
  const isBehind = await followChains(context, { heads, isLogRead })
  await saveProgress(context)
  return { findings: context.findingsSeen - findingsBefore, warnings: warnings.count, isLogRead, isBehind }
}

function describeStart({ state, key, rpcs }: MonitorContext): string {
  const { checkpoint, checked, findings } = state
  const progress = checkpoint
    ? `${checked} of ${checkpoint.size} entries were checked before`
    : 'nothing was checked before'
  const lends =
    rpcs.size > 0
      ? `Lends are checked on ${[...rpcs.keys()].map((id) => `chain ${id}`).join(', ')}.`
      : 'No --rpc is given: lends are not checked.'
  const earlier = Object.values(findings.counts).reduce((sum, count) => sum + count, 0)
  const warning = earlier > 0 ? ` The state has ${earlier} earlier findings.` : ''
  return `Monitoring the log ${key.name}: ${progress}. ${lends}${warning}`
}
