import type { Counter, MetricHelp, Metrics, StopSignal } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { type ChainSubgraph, type Head, type SubgraphAnswer, upstreamError } from './chain-subgraph.ts'
import type { PreparedQuery } from './query/analyse-query.ts'
import { createFlights, type Flights } from './single-flight.ts'

/** Result of a query on one chain. */
export type ChainResult =
  | { readonly chain: number; readonly answer: SubgraphAnswer; readonly failure?: undefined }
  | { readonly chain: number; readonly answer?: undefined; readonly failure: TallystickError }

export type Gateway = {
  /** Queries all chains concurrently. Settles within the request timeout. A chain that fails does not delay the others. */
  query(request: {
    readonly chains: readonly number[]
    readonly query: PreparedQuery
    /** Aborted when the caller disconnects. */
    readonly gone: StopSignal
  }): Promise<readonly ChainResult[]>
  /**
   * Returns the answers in memory, of the latest block of each chain, in the order of `chains`. Undefined if one is not in
   * memory. Never waits and counts nothing.
   */
  recall(request: {
    readonly chains: readonly number[]
    readonly key: PreparedQuery['key']
  }): readonly SubgraphAnswer[] | undefined
  /** Counts one hit for each chain. For answers of `recall` that are sent. */
  countHits(chains: readonly number[]): void
}

type GatewayOptions = {
  readonly subgraphs: ReadonlyMap<number, ChainSubgraph>
  readonly timeoutMs: number
  readonly cacheBytesMax: number
  readonly metrics: Metrics
  readonly log: Logger
}

// Each holds a body of at most 64 KiB, so queries pending at a subgraph that hangs take at most tens of megabytes.
const flightsMax = 1_000
// Bounds the number of keys if answers are tiny.
const answersMax = 10_000

type Chain = {
  readonly subgraph: ChainSubgraph
  readonly flights: Flights
  readonly metrics: ChainMetrics
  /** Answers of the head `answersOf`. */
  readonly answers: LRUCache<string, SubgraphAnswer>
  answersOf: string | undefined
}

/** Creates the gateway. It reuses the answers of a chain until the chain has a new block. */
export function createGateway({ subgraphs, timeoutMs, cacheBytesMax, metrics, log }: GatewayOptions): Gateway {
  // With 0, lru-cache would keep everything. With 1 it keeps nothing: every answer is larger.
  const bytesMax = Math.max(1, Math.floor(cacheBytesMax / Math.max(1, subgraphs.size)))
  const chains = new Map(
    [...subgraphs].map(([id, subgraph]): [number, Chain] => [
      id,
      {
        subgraph,
        flights: createFlights({ timeoutMs, countMax: flightsMax }),
        metrics: createChainMetrics(metrics, id),
        answers: new LRUCache({ max: answersMax, maxSize: bytesMax }),
        answersOf: undefined,
      },
    ]),
  )
  watchChains(metrics, chains)
  return {
    query: ({ chains: asked, query, gone }) =>
      Promise.all(
        asked.map(async (id): Promise<ChainResult> => {
          try {
            return { chain: id, answer: await ask(chains.get(id) as Chain, { query, gone }) }
          } catch (error) {
            return { chain: id, failure: error instanceof TallystickError ? error : unexpected(error, log) }
          }
        }),
      ),
    recall: ({ chains: asked, key }) => {
      const answers: SubgraphAnswer[] = []
      for (const id of asked) {
        const chain = chains.get(id) as Chain
        const answer = findAnswer(chain, { key, head: chain.subgraph.knownHead() })
        if (!answer) return undefined
        answers.push(answer)
      }
      return answers
    },
    countHits: (asked) => {
      for (const id of asked) chains.get(id)?.metrics.hit.increment()
    },
  }
}

/** Finds the cached answer, if the cache is of this head. */
function findAnswer(
  chain: Chain,
  { key, head }: { readonly key: string; readonly head: Head | undefined },
): SubgraphAnswer | undefined {
  return head && identifyHead(head) === chain.answersOf ? chain.answers.get(key) : undefined
}

/** Returns a text that is the same for two heads only if the index has the same data at both. */
function identifyHead({ hash, revision = 0 }: Head): string {
  return `${hash} ${revision}`
}

type Question = { readonly query: PreparedQuery; readonly gone: StopSignal }

async function ask(chain: Chain, { query, gone }: Question): Promise<SubgraphAnswer> {
  const { subgraph, flights, metrics } = chain
  const found = subgraph.currentHead()
  const head = found instanceof Promise ? await untilAborted(found, gone) : found
  const known = findAnswer(chain, { key: query.key, head })
  if (known) {
    metrics.hit.increment()
    return known
  }
  // The key contains the head, so a query sent after a new block does not share an answer requested before it.
  return flights.join(`${head && identifyHead(head)} ${query.key}`, {
    ask: async (signal) => {
      metrics.miss.increment()
      const answer = await subgraph.ask(query, signal)
      keepAnswer(chain, { key: query.key, answer, head })
      return answer
    },
    gone,
    onCoalesced: metrics.coalesced.increment,
  })
}

/** Caches a complete answer. An answer of a block older than the known head is not cached. */
function keepAnswer(
  chain: Chain,
  { key, answer, head }: { readonly key: string; readonly answer: SubgraphAnswer; readonly head: Head | undefined },
): void {
  if (!answer.head || answer.errors.length > 0 || (head && answer.head.number < head.number)) return
  const answersOf = identifyHead(answer.head)
  if (chain.answersOf !== answersOf) {
    chain.answers.clear()
    chain.answersOf = answersOf
  }
  chain.answers.set(key, answer, { size: (key.length + answer.data.length) * 2 + entryOverheadBytes })
}

// Approximate size of the objects around the two texts.
const entryOverheadBytes = 300

/** Logs an unexpected error and returns the failure of its chain. The data of other chains is still sent. */
function unexpected(error: unknown, log: Logger): TallystickError {
  log.error({ err: error }, 'query failed unexpectedly')
  return upstreamError({ failure: 'internal', message: 'The query failed inside the service. Try again later.' })
}

/** Settles when the work settles, or rejects with the signal's reason when it is aborted. The work may ignore the signal. */
async function untilAborted<Result>(work: Promise<Result>, signal: StopSignal): Promise<Result> {
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (stop) signal.removeEventListener('abort', stop)
  }
}

export const dataMetricHelp: MetricHelp = {
  tallystick_data_cache_total:
    'Queries per chain that were answered from memory (hit), sent to the subgraph (miss), or joined to an identical pending query (coalesced).',
  tallystick_data_cache_bytes: 'Size of the answers kept for reuse, by chain.',
  tallystick_data_cache_answers: 'Number of answers kept for reuse, by chain.',
  tallystick_data_queries_waiting: 'Distinct queries pending at the subgraph of a chain.',
}

type ChainMetrics = Readonly<Record<'hit' | 'miss' | 'coalesced', Counter>>

function createChainMetrics(metrics: Metrics, chain: number): ChainMetrics {
  const counterOf = (result: keyof ChainMetrics) => metrics.counter('tallystick_data_cache_total', { chain, result })
  return { hit: counterOf('hit'), miss: counterOf('miss'), coalesced: counterOf('coalesced') }
}

/** Adds the gauges that are read at each scrape. */
function watchChains(metrics: Metrics, chains: ReadonlyMap<number, Chain>): void {
  const gauge = (family: string, read: (chain: Chain) => number) =>
    metrics.gauge(family, () => [...chains].map(([chain, watched]) => ({ labels: { chain }, value: read(watched) })))
  gauge('tallystick_data_cache_bytes', ({ answers }) => answers.calculatedSize)
  gauge('tallystick_data_cache_answers', ({ answers }) => answers.size)
  gauge('tallystick_data_queries_waiting', ({ flights }) => flights.count)
}
