import { TallystickError } from '@tallystick/core'
import type { StopSignal } from '@tallystick/core/signal/create-abort'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { type ChainSubgraph, type Head, type SubgraphAnswer, upstreamError } from './chain-subgraph.ts'
import type { ChainMetrics, DataMetrics } from './data-metrics.ts'
import type { PreparedQuery } from './prepare-query.ts'
import { createFlights, type Flights } from './single-flight.ts'

/** What became of a query on one chain. */
export type ChainResult =
  | { readonly chain: number; readonly answer: SubgraphAnswer; readonly failure?: undefined }
  | { readonly chain: number; readonly answer?: undefined; readonly failure: TallystickError }

export type Gateway = {
  /** Asks all chains at once. Always settles within the time a request may take; a chain that fails keeps none waiting. */
  query(request: {
    readonly chains: readonly number[]
    readonly query: PreparedQuery
    /** Aborted when the caller has left. */
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

export type GatewayOptions = {
  readonly subgraphs: ReadonlyMap<number, ChainSubgraph>
  readonly timeoutMs: number
  readonly cacheBytesMax: number
  readonly metrics: DataMetrics
  readonly log: Logger
}

// Each holds a body of at most 64 KiB: what waits for a subgraph that hangs stays within some tens of megabytes.
const flightsMax = 1_000
// So that answers of a few bytes do not become a million keys.
const answersMax = 10_000

type Chain = {
  readonly subgraph: ChainSubgraph
  readonly flights: Flights
  readonly metrics: ChainMetrics
  /** The answers of one block. */
  readonly answers: LRUCache<string, SubgraphAnswer>
  answersOf: string | undefined
}

/** One query to every chain asked for: answers are used again as long as the chain has no new block. */
export function createGateway({ subgraphs, timeoutMs, cacheBytesMax, metrics, log }: GatewayOptions): Gateway {
  // With 0, lru-cache would keep everything. With 1 it keeps nothing: every answer is larger.
  const bytesMax = Math.max(1, Math.floor(cacheBytesMax / Math.max(1, subgraphs.size)))
  const chains = new Map(
    [...subgraphs].map(([id, subgraph]): [number, Chain] => [
      id,
      {
        subgraph,
        flights: createFlights({ timeoutMs, countMax: flightsMax }),
        metrics: metrics.ofChain(id),
        answers: new LRUCache({ max: answersMax, maxSize: bytesMax }),
        answersOf: undefined,
      },
    ]),
  )
  metrics.watch(chains)
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

/** Finds the answer of a block, if that is the block whose answers are kept. */
function findAnswer(
  chain: Chain,
  { key, head }: { readonly key: string; readonly head: Head | undefined },
): SubgraphAnswer | undefined {
  return head && head.hash === chain.answersOf ? chain.answers.get(key) : undefined
}

type Question = { readonly query: PreparedQuery; readonly gone: StopSignal }

async function ask(chain: Chain, { query, gone }: Question): Promise<SubgraphAnswer> {
  const { subgraph, flights, metrics } = chain
  const head = await subgraph.currentHead()
  const known = findAnswer(chain, { key: query.key, head })
  if (known) {
    metrics.hit.increment()
    return known
  }
  let isMine = false
  // Who asks after a new block is known does not share an answer that was asked for before it.
  const answer = await flights.join(`${head?.hash} ${query.key}`, {
    ask: (signal) => {
      isMine = true
      metrics.miss.increment()
      return subgraph.ask(query, signal)
    },
    gone,
    onCoalesced: metrics.coalesced.increment,
  })
  if (isMine) keepAnswer(chain, { key: query.key, answer, head })
  return answer
}

/** Keeps an answer that is whole. One of an older block than is known already would push out those of the newer one. */
function keepAnswer(
  chain: Chain,
  { key, answer, head }: { readonly key: string; readonly answer: SubgraphAnswer; readonly head: Head | undefined },
): void {
  if (!answer.head || answer.errors.length > 0 || (head && answer.head.number < head.number)) return
  if (chain.answersOf !== answer.head.hash) {
    chain.answers.clear()
    chain.answersOf = answer.head.hash
  }
  chain.answers.set(key, answer, { size: (key.length + answer.data.length) * 2 + entryOverheadBytes })
}

// Of the objects around the two texts, roughly.
const entryOverheadBytes = 300

/** A fault of ours on one chain is no reason to keep the data of the others back. */
function unexpected(error: unknown, log: Logger): TallystickError {
  log.error({ err: error }, 'a query failed for a reason that is not the upstream’s')
  return upstreamError({ failure: 'internal', message: 'The query failed inside the service. Try again later.' })
}
