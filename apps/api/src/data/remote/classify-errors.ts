import type { TallystickError } from '@tallystick/core'
import { queryRejected, type UpstreamFailure, upstreamError } from '../chain-subgraph.ts'
import type { Redact } from './create-redact.ts'

/** The `errors` of a GraphQL answer, as they came. */
export type ErrorEntries = readonly unknown[]

type Entry = { readonly message: string; readonly code: string | undefined }

/** Stands between our explanation and the upstream's own words. */
export const itSays = ' It says: '

// A query can be wrong in a hundred places; the first few say what to mend.
const messagesMax = 10

/**
 * What an answer without data means, by the texts of The Graph's gateway, of graph-node and of our own subgraphs. One that
 * is not known is about the query: those are too many to list. Where the status says that the server failed, `otherwise`
 * is that.
 */
export function classifyErrors(
  errors: ErrorEntries,
  { redact, otherwise }: { readonly redact: Redact; readonly otherwise?: TallystickError | undefined },
): TallystickError {
  const entries = readEntries(errors)
  for (const entry of entries) {
    const failure = failureOf(entry)
    if (!failure) continue
    const words = redact(entry.message)
    return upstreamError({ failure, message: explanations[failure] + (words && itSays + words) })
  }
  if (otherwise) return otherwise
  const messages = cleanMessages(errors, redact)
  return queryRejected(`The chain’s subgraph rejects the query: ${messages.join('; ')}`, { errors: messages })
}

/** The texts of `errors`, fit to be shown to the caller. */
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

type Told = Extract<
  UpstreamFailure,
  | 'unauthorized'
  | 'not_found'
  | 'no_indexers'
  | 'bad_indexers'
  | 'behind'
  | 'internal'
  | 'busy'
  | 'slow_query'
  | 'malformed'
>

const explanations: Readonly<Record<Told, string>> = {
  unauthorized: 'The chain’s subgraph does not accept the operator’s key. The operator has to mend this.',
  not_found: 'The chain’s subgraph does not exist where it is looked for. The operator has to mend this.',
  no_indexers: 'No indexer serves the chain’s subgraph. Try again later.',
  bad_indexers: 'The indexers of the chain’s subgraph gave no good answer. Try again.',
  behind: 'The chain’s subgraph has not indexed the requested block. Try again later or request an earlier block.',
  internal: 'The chain’s subgraph failed inside. Try again later.',
  busy: 'The chain’s subgraph is overloaded. Try again later.',
  slow_query: 'The chain’s subgraph aborted the query because it took too long. Select less.',
  malformed: 'The chain’s subgraph answered with errors that say nothing. Try again later.',
}

/** Undefined if it is about the query. */
function failureOf({ message, code }: Entry): Told | undefined {
  const byCode = failuresByCode.get(code)
  if (byCode) return byCode
  if (message === '') return 'malformed'
  if (/^bad indexers/i.test(message) && notIndexed.test(message)) return 'behind'
  return failuresByText.find(([pattern]) => pattern.test(message))?.[1]
}

/** What our own subgraphs put into `extensions.code`. */
const failuresByCode: ReadonlyMap<string | undefined, Told> = new Map([
  ['internal_error', 'internal'],
  ['database_unavailable', 'internal'],
  ['query_timeout', 'slow_query'],
])

const notIndexed = /too far behind|missing block|not yet available/i

/**
 * Anchored, because messages repeat parts of the query. The gateway's are in edgeandnode/gateway src/errors.rs,
 * graph-node's in graph/src/data/query/error.rs.
 */
const failuresByText: readonly (readonly [RegExp, Told | undefined])[] = [
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
  // PostgreSQL's words for a value in the query that it cannot work with; the others are the store's own trouble.
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
