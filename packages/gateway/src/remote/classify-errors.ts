import type { TallystickError } from '@tallystick/core'
import { queryRejected, type UpstreamFailure, upstreamError } from '../chain-subgraph.ts'
import type { Redact } from './create-redact.ts'

/** `errors` of a GraphQL response, unchecked. */
export type ErrorEntries = readonly unknown[]

type Entry = { readonly message: string; readonly code: string | undefined }

/** Separates our explanation from the upstream's message. */
export const upstreamMessagePrefix = ' Upstream message: '

// Enough to fix the query. A query can have hundreds of errors.
const messagesMax = 10

/**
 * Returns the error for a response without data, from the messages of The Graph's gateway, graph-node and embedded
 * subgraphs. Unknown messages mean that the query is wrong, because those are too many to list. If the status says that
 * the server failed, they give `otherwise`.
 */
export function classifyErrors(
  errors: ErrorEntries,
  { redact, otherwise }: { readonly redact: Redact; readonly otherwise?: TallystickError | undefined },
): TallystickError {
  const entries = readEntries(errors)
  for (const entry of entries) {
    const failure = failureOf(entry)
    if (!failure) continue
    const upstreamMessage = redact(entry.message)
    const suffix = upstreamMessage && upstreamMessagePrefix + upstreamMessage
    return upstreamError({ failure, message: explanations[failure] + suffix })
  }
  if (otherwise) return otherwise
  const messages = cleanMessages(errors, redact)
  return queryRejected(`The chain’s subgraph rejected the query: ${messages.join('; ')}`, { errors: messages })
}

/** Returns the redacted messages of `errors`, which callers may see. */
export function cleanMessages(errors: ErrorEntries, redact: Redact): readonly string[] {
  const messages = readEntries(errors).map(({ message }) => redact(message) || 'an error without a message')
  const left = errors.length - messages.length
  return left > 0 ? [...messages, `and ${left} more`] : messages
}

function readEntries(errors: ErrorEntries): readonly Entry[] {
  return errors.slice(0, messagesMax).map((error) => {
    const { message, extensions } = (error ?? {}) as { readonly message?: unknown; readonly extensions?: unknown }
    const { code } = (extensions ?? {}) as { readonly code?: unknown }
    return {
      message: typeof message === 'string' ? message : '',
      code: typeof code === 'string' ? code : undefined,
    }
  })
}

const explanations = {
  unauthorized: 'The chain’s subgraph rejected the operator’s key. Contact the operator.',
  not_found: 'The chain’s subgraph was not found at the configured URL. Contact the operator.',
  no_indexers: 'No indexer serves the chain’s subgraph. Try again later.',
  bad_indexers: 'No indexer of the chain’s subgraph gave a valid answer. Try again.',
  behind: 'The chain’s subgraph has not indexed the requested block. Try again later or request an earlier block.',
  internal: 'The chain’s subgraph had an internal error. Try again later.',
  busy: 'The chain’s subgraph is overloaded. Try again later.',
  slow_query: 'The chain’s subgraph aborted the query because it took too long. Select less.',
  malformed: 'The chain’s subgraph returned errors without a message. Try again later.',
} as const satisfies Partial<Record<UpstreamFailure, string>>

type ReportedFailure = keyof typeof explanations

/** Returns the failure an error reports, or undefined if the query is at fault. */
function failureOf({ message, code }: Entry): ReportedFailure | undefined {
  const byCode = failuresByCode.get(code)
  if (byCode) return byCode
  if (message === '') return 'malformed'
  if (/^bad indexers/i.test(message) && notIndexed.test(message)) return 'behind'
  return failuresByText.find(([pattern]) => pattern.test(message))?.[1]
}

/** Failures by `extensions.code` of embedded subgraphs. */
const failuresByCode: ReadonlyMap<string | undefined, ReportedFailure> = new Map([
  ['internal_error', 'internal'],
  ['database_unavailable', 'internal'],
  ['query_timeout', 'slow_query'],
])

const notIndexed = /too far behind|missing block|not yet available/i

/**
 * Failures by message, anchored because messages quote parts of the query. Sources: The Graph's gateway in
 * edgeandnode/gateway src/errors.rs, graph-node in graph/src/data/query/error.rs.
 */
const failuresByText: readonly (readonly [RegExp, ReportedFailure | undefined])[] = [
  [/^auth error/i, 'unauthorized'],
  [/^(subgraph|chain) not found/i, 'not_found'],
  [/^deployment `[^`]*` does not exist/i, 'not_found'],
  [/^no indexers/i, 'no_indexers'],
  [/^bad indexers/i, 'bad_indexers'],
  [/^block not found/i, 'behind'],
  [
    /^(Failed to decode `block\.\w+` value: `)?subgraph \S+ has only indexed up to block number \d+ and data/i,
    'behind',
  ],
  [/^subgraph \S+ has not started syncing yet/i, 'behind'],
  [/^internal error/i, 'internal'],
  // PostgreSQL rejects a value of the query. All other store errors are failures of the upstream.
  [/^Store error: (unsupported filter|LIKE pattern|invalid |.* out of range)/i, undefined],
  [/^Store error/i, 'internal'],
  [/^(Failed to get entities from store|Broken entity found in store)/i, 'internal'],
  [/^indexing_error$/i, 'internal'],
  [/^panic processing query/i, 'internal'],
  [/^the chain was reorganized while executing/i, 'internal'],
  [/^(failed to resolve|invalid) subgraph manifest/i, 'internal'],
  [/^service is overloaded/i, 'busy'],
  [/^(query timed out|query timeout)/i, 'slow_query'],
]
