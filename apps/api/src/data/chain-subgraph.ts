import { TallystickError } from '@tallystick/core'
import type { StopSignal } from '@tallystick/core/signal/create-abort'

/** The latest block of an index at the moment it answered. */
export type Head = {
  readonly number: number
  readonly hash: string
  /** Unix seconds; some subgraphs do not tell. */
  readonly timestamp: number | undefined
}

/** A query after its analysis, ready to be sent. */
export type SubgraphQuery = {
  /** As the caller wrote it. */
  readonly text: string
  /** The same, with the head selected as well: `alias: _meta { block { number hash timestamp } }` in the root selection. */
  readonly textWithHead: string
  /** The response key of that selection. No key of the caller's. */
  readonly headAlias: string
  /** Those the operation declares; never `chains`. */
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
}

/** What a chain answered. Anything less is thrown as a `TallystickError` that `upstreamError` or `queryRejected` made. */
export type SubgraphAnswer = {
  /** The caller's data as JSON text, without our own selection. */
  readonly data: string
  /** What failed in part while there is data: only where the upstream itself says so. */
  readonly errors: readonly string[]
  /** Undefined where nothing of the index was read, or the upstream does not say. */
  readonly head: Head | undefined
}

/** The subgraph of one chain, wherever it is. */
export type ChainSubgraph = {
  readonly chainId: number
  /**
   * The head as far as it is known for certain enough to use an answer of that block again: undefined means ask. Reading
   * it counts as traffic, which keeps the knowledge fresh.
   */
  currentHead(): Head | undefined | Promise<Head | undefined>
  /** Returns the same without waiting. Undefined also where the database would have to be asked. */
  knownHead(): Head | undefined
  /** Answers before the signal is aborted, or throws. */
  ask(query: SubgraphQuery, signal: StopSignal): Promise<SubgraphAnswer>
  close(): Promise<void>
}

/** How an upstream can fail; docs/errors.md explains each. */
export const upstreamFailures = [
  'refused',
  'dns',
  'tls',
  'reset',
  'http_status',
  'not_json',
  'wrong_type',
  'truncated',
  'malformed',
  'too_large',
  'busy',
  'unauthorized',
  'not_found',
  'no_indexers',
  'bad_indexers',
  'behind',
  'internal',
  'circuit_open',
  'overloaded',
  'slow_headers',
  'slow_body',
  'slow_query',
] as const
export type UpstreamFailure = (typeof upstreamFailures)[number]

/** A failure that is not the query's. The message says what happened, without a URL: it goes to the caller. */
export function upstreamError({
  failure,
  message,
  retryAfterSeconds,
  cause,
}: {
  readonly failure: UpstreamFailure
  readonly message: string
  readonly retryAfterSeconds?: number | undefined
  readonly cause?: unknown
}): TallystickError {
  const code = failure.startsWith('slow_') ? 'upstream_timeout' : 'upstream_failed'
  return new TallystickError({ code, message, retryable: true, retryAfterSeconds, details: { failure }, cause })
}

/** The query is wrong, and would be anywhere: another URL is not asked. */
export function queryRejected(message: string, details?: Readonly<Record<string, unknown>>): TallystickError {
  return new TallystickError({ code: 'query_rejected', message, retryable: false, details })
}
