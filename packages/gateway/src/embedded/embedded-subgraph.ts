import { createLogThrottle, type Metrics, type StopSignal, type Time } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import type { Follower, IndexHead, QueryFailureCode, Subgraph } from '@tallystick/subgraph'
import type { Logger } from 'pino'
import { type ChainSubgraph, deadlineReached, type Head, queryRejected, upstreamError } from '../chain-subgraph.ts'
import { type CallResult, failureOf } from '../remote/begin-call.ts'
import { createCallMetrics } from '../remote/remote-metrics.ts'

// Long enough that a busy replica reads the head ten times per second instead of once per request, and short against the
// seconds between blocks.
const headAgeMaxMs = 100

type EmbeddedSubgraphOptions = {
  readonly subgraph: Pick<Subgraph, 'answer' | 'head' | 'readHead'>
  readonly follower: Pick<Follower, 'isWriting'>
  readonly time: Pick<Time, 'monotonic'>
}

/** Adapts the index of a chain in this process to the gateway. */
export function createEmbeddedSubgraph(
  chainId: number,
  { subgraph, follower, time }: EmbeddedSubgraphOptions,
): ChainSubgraph {
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: { readonly startedAtMs: number; readonly head: Promise<Head | undefined> } | undefined
  const isRecent = (sinceMs: number) => time.monotonic() - sinceMs < headAgeMaxMs
  const readHead = async (startedAtMs: number) => {
    try {
      const head = await subgraph.readHead()
      readAtMs = Math.max(readAtMs, startedAtMs)
      return toHead(head)
    } catch {
      reading = undefined
      return undefined
    }
  }
  // If another process writes the index, only the database knows the latest block. The head that this process knows
  // includes the blocks of queries since that read.
  const knownHead = () => (follower.isWriting || isRecent(readAtMs) ? toHead(subgraph.head) : undefined)
  return {
    chainId,
    currentHead: () => {
      const known = knownHead()
      if (known) return known
      if (!reading || !isRecent(reading.startedAtMs)) {
        const startedAtMs = time.monotonic()
        reading = { startedAtMs, head: readHead(startedAtMs) }
      }
      return reading.head
    },
    knownHead,
    ask: async ({ text: query, document, variables, operationName }, signal) => {
      const answer = await subgraph.answer({ query, document, variables, operationName, signal })
      const { data, errors = [], failure, head } = answer
      if (signal.aborted && signal.reason !== deadlineReached) throw signal.reason
      const messages = errors.map(({ message }) => message)
      if (data === undefined) throw classifyFailure(failure?.code ?? 'internal_error', messages.join(' '))
      return { data, errors: messages, head: toHead(head), source: 'embedded' }
    },
    close: async () => undefined,
  }
}

/** Converts the head of an embedded index. */
export function toHead(head: IndexHead | undefined): Head | undefined {
  if (!head) return undefined
  const { number, hash, timestamp, revision, fault } = head
  return { number, hash, timestamp, revision, hasErrors: fault !== undefined }
}

/** Adds metrics and throttled failure logs to an embedded subgraph. Remote subgraphs have their own. */
export function measureSubgraph(
  subgraph: ChainSubgraph,
  { metrics, log, time }: { readonly metrics: Metrics; readonly log: Logger; readonly time: Time },
): ChainSubgraph {
  const labels = { chain: subgraph.chainId, upstream: 'embedded' }
  const calls = createCallMetrics(metrics, labels)
  // An embedded subgraph has no circuit breaker, so every query fails while the database is unavailable.
  const throttle = createLogThrottle({ time })
  return {
    ...subgraph,
    ask: async (query, signal) => {
      const startedMs = time.monotonic()
      let result: CallResult = 'ok'
      try {
        return await subgraph.ask(query, signal)
      } catch (error) {
        result = resultOf(error, signal)
        const durationMs = Math.round(time.monotonic() - startedMs)
        const operationName = query.operationName?.slice(0, 100)
        const isFailure = result !== 'cancelled' && result !== 'query_rejected'
        const logged = isFailure ? throttle(result) : undefined
        if (logged)
          log.warn(
            { ...labels, failure: result, durationMs, operationName, ...logged },
            'embedded subgraph query failed',
          )
        throw error
      } finally {
        calls.seconds.observe((time.monotonic() - startedMs) / 1000)
        calls.counts.get(result)?.increment()
      }
    },
  }
}

function resultOf(error: unknown, signal: StopSignal): CallResult {
  // Any other reason means that the caller disconnected, or that another source answered first.
  if (signal.aborted && signal.reason !== deadlineReached) return 'cancelled'
  return error instanceof TallystickError ? (failureOf(error) ?? 'query_rejected') : 'internal'
}

/** Returns the error for a query that an embedded subgraph did not answer. The code decides its class, never the text. */
export function classifyFailure(code: QueryFailureCode, message: string): TallystickError {
  switch (code) {
    case 'invalid_query':
      return queryRejected(message)
    case 'not_started':
    case 'block_not_indexed':
      return upstreamError({ failure: 'behind', message })
    case 'query_timeout':
      return upstreamError({ failure: 'slow_query', message: 'The query timed out. Select less.' })
    case 'database_unavailable':
    case 'internal_error':
      return upstreamError({ failure: 'internal', message: 'The index of this chain is unavailable. Try again later.' })
  }
}
