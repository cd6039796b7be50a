import type { StopSignal } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import type { DocumentNode } from 'graphql'

/** The latest block of an index at the moment it answered. */
export type Head = {
  readonly number: number
  readonly hash: string
  /** Unix seconds. Some subgraphs do not report it. */
  readonly timestamp: number | undefined
  /** Changes when an embedded index replaced stored blocks: answers of the same block can then differ. */
  readonly revision?: number | undefined
  /** Whether the index has errors: its data may be incomplete. */
  readonly hasErrors?: boolean | undefined
}

/** An analysed query, ready to be sent. */
export type SubgraphQuery = {
  /** As the caller wrote it. */
  readonly text: string
  /** The text as it was parsed, if that was done for this request. */
  readonly document?: DocumentNode | undefined
  /** The text with the head selected in addition: `alias: _meta { block { number hash timestamp } }` in the root selection. */
  readonly textWithHead: string
  /** Response key of that selection. The caller's selection does not use it. */
  readonly headAlias: string
  /** Variables that the operation declares, never `chains`. */
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
}

/** Kind of subgraph that answered. */
export type SubgraphSource = 'embedded' | 'remote'

/** Answer of one chain. Failures are thrown as errors of `upstreamError` or `queryRejected`. */
export type SubgraphAnswer = {
  /** Data as JSON text, without the selection of the head. */
  readonly data: string
  /** Partial failures that the upstream reported beside its data. */
  readonly errors: readonly string[]
  /** Undefined if the index was not read or the upstream does not report its head. */
  readonly head: Head | undefined
  readonly source: SubgraphSource
}

/** Subgraph of one chain: embedded, remote, or both. */
export type ChainSubgraph = {
  readonly chainId: number
  /**
   * Returns the head if it is recent enough to reuse an answer of that block, otherwise undefined. A call counts as traffic,
   * which keeps the head up to date.
   */
  currentHead(): Head | undefined | Promise<Head | undefined>
  /** Returns the head without waiting. Undefined also if that would need a database query. */
  knownHead(): Head | undefined
  /** Answers before the signal is aborted, or throws. */
  ask(query: SubgraphQuery, signal: StopSignal): Promise<SubgraphAnswer>
  close(): Promise<void>
}

/** Kinds of upstream failures. docs/errors.md explains each. */
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

type UpstreamErrorOptions = {
  readonly failure: UpstreamFailure
  readonly message: string
  readonly retryAfterSeconds?: number | undefined
  readonly cause?: unknown
}

/** Returns the error for a failure the query did not cause. Callers see the message, so it contains no URL. */
export function upstreamError({ failure, message, retryAfterSeconds, cause }: UpstreamErrorOptions): TallystickError {
  const code = failure.startsWith('slow_') ? 'upstream_timeout' : 'upstream_failed'
  return new TallystickError({ code, message, retryable: true, retryAfterSeconds, details: { failure }, cause })
}

/** Returns the error for an invalid query. Such a query is not sent to another URL. */
export function queryRejected(message: string, details?: Readonly<Record<string, unknown>>): TallystickError {
  return new TallystickError({ code: 'query_rejected', message, retryable: false, details })
}

/** Abort reason of a request that timed out, as opposed to one whose caller disconnected. */
export const deadlineReached = Symbol('deadline reached')

/** Abort reason of a query that another source of the chain answered first. */
export const superseded = Symbol('superseded')
