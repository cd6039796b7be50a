import type { Counter, MetricHelp, Metrics, StopSignal, Time, Timer } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import type { Logger } from 'pino'
import {
  type ChainSubgraph,
  type Head,
  type SubgraphAnswer,
  type SubgraphQuery,
  type SubgraphSource,
  type UpstreamFailure,
  upstreamError,
} from '../chain-subgraph.ts'
import { failureOf, observeCall } from '../remote/begin-call.ts'
import { queryUpstreams, type Upstream } from '../remote/query-upstreams.ts'
import type { DataSettings } from '../remote/upstream.ts'
import type { Source } from './source.ts'
import { createSourceLag, type SourceLag } from './source-lag.ts'

export type TwoSourceSubgraph = ChainSubgraph & {
  /** Source to which the next query is sent first. */
  readonly current: SubgraphSource
}

type TwoSourceOptions = {
  readonly preferred: Source
  readonly fallback: Source
  readonly settings: Pick<DataSettings, 'timeoutMs' | 'hedgeMs' | 'maxLagSeconds'>
  /** Time of the service. Lag is measured against its clock. */
  readonly time: Time
  readonly log: Logger
  readonly metrics: Metrics
}

/**
 * Creates the subgraph of a chain that has two sources. The preferred one answers. The fallback is queried if it fails, in
 * parallel if it is slow, and first while it is too far behind (docs/decisions/0047-two-sources.md).
 */
export function createTwoSourceSubgraph(options: TwoSourceOptions): TwoSourceSubgraph {
  const { preferred, fallback, settings, time, log } = options
  const { chainId } = preferred.subgraph
  const lag = createSourceLag(time, settings.maxLagSeconds)
  const listInOrder = createOrder({ preferred, fallback, log }, () => lag.isPreferredBehind())
  const first = () => listInOrder()[0] as Source
  const observeFallback = createFallbackObserver(fallback, (head) => lag.observe('fallback', head))
  const observePreferred = (head: Head | undefined) => {
    lag.observe('preferred', head)
    if (lag.isPreferredOld()) observeFallback()
  }
  const ask = createAsk(options, lag)
  return {
    chainId,
    get current() {
      return first().kind
    },
    currentHead: async () => {
      const head = preferred.isUsable ? await readHead(preferred, { settings, time }) : undefined
      observePreferred(head)
      const source = first()
      return source === preferred ? head : source.subgraph.currentHead()
    },
    knownHead: () => {
      const head = preferred.subgraph.knownHead()
      observePreferred(head)
      const source = first()
      return source === preferred ? head : source.subgraph.knownHead()
    },
    ask: (query, signal) => ask(listInOrder(), { query, signal }),
    close: async () => {
      await Promise.all([preferred.close(), fallback.close()])
    },
  }
}

type Question = { readonly query: SubgraphQuery; readonly signal: StopSignal }

/** Creates the function that queries sources in an order, and learns from each answer how far its source lags. */
function createAsk(
  { preferred, settings: { timeoutMs, hedgeMs }, time, metrics }: TwoSourceOptions,
  lag: SourceLag,
): (sources: readonly Source[], question: Question) => Promise<SubgraphAnswer> {
  const counters = createSourceCounters(metrics, preferred.subgraph.chainId)
  return async (sources, { query, signal }) => {
    const failures = new Map<SubgraphSource, TallystickError>()
    const upstreams = sources.map((source): Upstream<SubgraphQuery> => {
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
      const answer = await queryUpstreams(upstreams, { query, signal, timeoutMs, hedgeMs, time })
      counters.get(answer.source)?.increment()
      return answer
    } catch (error) {
      throw joinFailures(error, { failures, sources: sources.map(({ kind }) => kind) })
    }
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
  { settings, time }: Pick<TwoSourceOptions, 'settings' | 'time'>,
): Promise<Head | undefined> {
  const reading = source.subgraph.currentHead()
  if (!(reading instanceof Promise)) return reading
  const waitMs = Math.min(settings.hedgeMs ?? Number.POSITIVE_INFINITY, settings.timeoutMs / 4)
  let timer: Timer | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = time.setTimer({ name: 'subgraph hedge', ms: waitMs }, () => {
      source.recordHang()
      resolve(undefined)
    })
  })
  const head = await Promise.race([reading, late])
  timer?.stop()
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

/** Failures of the sources of a chain, in the order in which they failed. */
type SourceFailures = ReadonlyMap<SubgraphSource, TallystickError>

/**
 * Returns the error of a query that no source answered. If both failed, it says how each did. A source that rejects the
 * query after the other has failed may have another version of the schema, so the query may be retried.
 */
function joinFailures(
  error: unknown,
  { failures, sources }: { readonly failures: SourceFailures; readonly sources: readonly SubgraphSource[] },
): unknown {
  if (!(error instanceof TallystickError)) return error
  const joined = new Map(failures)
  // A query that timed out ends before its source has failed.
  const unnamed = sources.find((source) => !joined.has(source))
  if (![...joined.values()].includes(error) && unnamed) joined.set(unnamed, error)
  if (joined.size < 2) return error
  const waits = [...joined.values()].flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? [])
  const texts = [...joined].map(([source, { message }]) => `${names[source]}: ${message}`)
  return upstreamError({
    failure: chooseFailure([...joined.values()].flatMap((one) => failureOf(one) ?? [])),
    message: `Both subgraphs of the chain failed. ${texts.join(' ')}`,
    retryAfterSeconds: waits.length > 0 ? Math.min(...waits) : undefined,
    cause: error,
  })
}

const names = { embedded: 'Embedded', remote: 'Remote' } as const

/** Returns a timeout only if every source timed out. */
function chooseFailure(failures: readonly UpstreamFailure[]): UpstreamFailure {
  return failures.find((failure) => !failure.startsWith('slow_')) ?? failures[0] ?? 'internal'
}

export const sourceMetricHelp: MetricHelp = {
  tallystick_data_source: 'Of a chain with two sources: 1 for the source that is queried first now, 0 for the other.',
  tallystick_data_source_answers_total:
    'Queries of a chain with two sources, by the source that answered. Answers from memory are not counted.',
}

const kinds: readonly SubgraphSource[] = ['embedded', 'remote']

function createSourceCounters(metrics: Metrics, chain: number): ReadonlyMap<SubgraphSource, Counter> {
  return new Map(
    kinds.map((source) => [source, metrics.counter('tallystick_data_source_answers_total', { chain, source })]),
  )
}

/** Adds the gauge of all chains with two sources. */
export function addSourceMetrics(
  metrics: Metrics,
  chains: ReadonlyMap<number, { readonly current: SubgraphSource }>,
): void {
  metrics.gauge('tallystick_data_source', () =>
    [...chains].flatMap(([chain, { current }]) =>
      kinds.map((source) => ({ labels: { chain, source }, value: source === current ? 1 : 0 })),
    ),
  )
}
