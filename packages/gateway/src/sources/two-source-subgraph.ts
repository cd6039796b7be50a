import type { Metrics } from '@tallystick/base'
import type { TallystickError } from '@tallystick/core'
import type { Logger } from 'pino'
import type { ChainSubgraph, Head, SubgraphQuery, SubgraphSource } from '../chain-subgraph.ts'
import type { Call } from '../remote/begin-call.ts'
import { queryUpstreams, type Racer } from '../remote/query-upstreams.ts'
import type { StartTimer } from '../remote/start-timer.ts'
import { joinFailures } from './join-failures.ts'
import type { Source } from './source.ts'
import { createSourceLag } from './source-lag.ts'
import { createSourceCounters } from './source-metrics.ts'

export type TwoSourceSubgraph = ChainSubgraph & {
  readonly preferred: SubgraphSource
  /** Source to which the next query is sent first. */
  readonly current: SubgraphSource
}

export type TwoSourceOptions = {
  readonly preferred: Source
  readonly fallback: Source
  readonly settings: {
    readonly timeoutMs: number
    readonly hedgeMs: number | null
    readonly maxLagSeconds: number
  }
  /** Clock of the service in milliseconds. */
  readonly now: () => number
  readonly monotonicNow: () => number
  readonly startTimer: StartTimer
  readonly log: Logger
  readonly metrics: Metrics
}

/**
 * Creates the subgraph of a chain that has two sources. The preferred one answers. The fallback is queried if it fails, in
 * parallel if it is slow, and first while it is too far behind (docs/decisions/0047-two-sources.md).
 */
export function createTwoSourceSubgraph(options: TwoSourceOptions): TwoSourceSubgraph {
  const { preferred, fallback, settings, monotonicNow, startTimer } = options
  const { chainId } = preferred.subgraph
  const lag = createSourceLag({ ...options, maxLagSeconds: settings.maxLagSeconds })
  const candidates = createOrder(options, () => lag.isPreferredBehind())
  const lookAtFallback = createFallbackObserver(fallback, (head) => lag.observe('fallback', head))
  const counters = createSourceCounters(options.metrics, chainId)
  const observe = (head: Head | undefined) => {
    lag.observe('preferred', head)
    if (lag.isPreferredOld()) lookAtFallback()
  }
  const headOfFirst = <Read extends 'currentHead' | 'knownHead'>(head: Head | undefined, read: Read) => {
    const first = candidates()[0] as Source
    return first === preferred ? head : first.subgraph[read]()
  }
  return {
    chainId,
    preferred: preferred.kind,
    get current() {
      return (candidates()[0] as Source).kind
    },
    currentHead: async () => {
      const head = preferred.isUsable ? await readHead(preferred, { settings, startTimer }) : undefined
      observe(head)
      return headOfFirst(head, 'currentHead')
    },
    knownHead: () => {
      const head = preferred.subgraph.knownHead()
      observe(head)
      return headOfFirst(head, 'knownHead') as Head | undefined
    },
    ask: async (query, signal) => {
      const sources = candidates()
      const failures = new Map<SubgraphSource, TallystickError>()
      const racers = sources.map((source): Racer<SubgraphQuery> => {
        const name = source === preferred ? 'preferred' : 'fallback'
        return {
          isUsable: true,
          get isBehind() {
            return name === 'preferred' ? lag.isPreferredBehind() : lag.isFallbackBehind()
          },
          isTooOld: lag.isTooOld,
          begin: (asked) =>
            observeCall(source.begin(asked), (outcome) => {
              if (outcome.kind === 'failed') failures.set(source.kind, outcome.error)
              if (outcome.kind === 'answered') lag.observe(name, outcome.answer.head)
            }),
        }
      })
      try {
        const answer = await queryUpstreams(racers, { ...settings, query, signal, monotonicNow, startTimer })
        counters.get(answer.source)?.increment()
        return answer
      } catch (error) {
        throw joinFailures(error, { failures, sources: sources.map(({ kind }) => kind) })
      }
    },
    close: async () => {
      await Promise.all([preferred.close(), fallback.close()])
    },
  }
}

/** Creates the function that returns the sources in the order of queries. It logs each change of the first one. */
function createOrder(
  { preferred, fallback, log }: Pick<TwoSourceOptions, 'preferred' | 'fallback' | 'log'>,
  isPreferredBehind: () => boolean,
): () => readonly Source[] {
  let first = preferred
  return () => {
    const isBehind = isPreferredBehind()
    const all = isBehind ? [fallback, preferred] : [preferred, fallback]
    const usable = all.filter(({ isUsable }) => isUsable)
    // With none, both are queried: a remote subgraph then fails at once, and the embedded one may answer.
    const sources = usable.length > 0 ? usable : all
    const [next = preferred] = sources
    if (next !== first) {
      const reason = next === preferred ? 'recovered' : isBehind ? 'behind' : 'failed'
      log.warn({ source: next.kind, reason }, 'source of the subgraph changed')
    }
    first = next
    return sources
  }
}

/** Reads the head of a source, for a limited time: a database that hangs must not delay the other source. */
async function readHead(
  source: Source,
  { settings, startTimer }: Pick<TwoSourceOptions, 'settings' | 'startTimer'>,
): Promise<Head | undefined> {
  const reading = source.subgraph.currentHead()
  if (!(reading instanceof Promise)) return reading
  const waitMs = Math.min(settings.hedgeMs ?? Number.POSITIVE_INFINITY, settings.timeoutMs / 4)
  let cancelTimer: (() => void) | undefined
  const late = new Promise<undefined>((resolve) => {
    cancelTimer = startTimer(() => {
      source.recordHang()
      resolve(undefined)
    }, waitMs)
  })
  const head = await Promise.race([reading, late])
  cancelTimer?.()
  return head
}

/** Creates the function that reads the head of the fallback in the background, one read at a time. */
function createFallbackObserver(fallback: Source, onHead: (head: Head | undefined) => void): () => void {
  let isReading = false
  return () => {
    if (isReading) return
    const reading = fallback.subgraph.currentHead()
    if (!(reading instanceof Promise)) return onHead(reading)
    isReading = true
    reading
      .then(onHead, () => undefined)
      .finally(() => {
        isReading = false
      })
  }
}

/** Calls `onOutcome` before anybody else sees the outcome of a call. */
function observeCall(call: Call, onOutcome: (outcome: Awaited<Call['outcome']>) => void): Call {
  const outcome = call.outcome.then((settled) => {
    onOutcome(settled)
    return settled
  })
  return {
    outcome,
    get phase() {
      return call.phase
    },
    end: call.end,
  }
}
