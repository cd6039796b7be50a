import { GraphQLError } from 'graphql'
import { type ErrorEntry, QueryError } from '../query-error.ts'

/** An error whose text may be shown: it is about the query. */
export function isPublicError(error: unknown): error is QueryError | GraphQLError {
  return error instanceof QueryError || error instanceof GraphQLError
}

/** The query took longer than it may. */
export const timedOut: ErrorEntry = { message: 'Query timed out', extensions: { code: 'query_timeout' } }

/** What a client is told of an error. Of one that is not about the query it is told nothing; `onInternalError` is. */
export function toErrorEntry(error: unknown, onInternalError: (error: unknown) => void): ErrorEntry {
  if (isPublicError(error)) {
    const locations = error.locations?.map(({ line, column }) => ({ line, column }))
    return locations ? { message: error.message, locations } : { message: error.message }
  }
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  // SQLSTATE: 57014 is a statement that was broken off, class 22 a value PostgreSQL cannot work with (a pattern that ends in \),
  // class 54 a statement beyond its limits.
  // The deadline breaks off what runs on PostgreSQL, and whatever waits.
  if (code === '57014' || (error instanceof Error && error.name === 'AbortError')) return timedOut
  if (typeof code === 'string' && /^(22|54)/.test(code)) return { message: `Store error: ${String(message)}` }
  if (error instanceof RangeError) return { message: 'The query nests too deep.' }
  onInternalError(error)
  if (code === 'database_unavailable') {
    return { message: 'Store error: the database cannot be reached', extensions: { code } }
  }
  return { message: 'Store error: internal error', extensions: { code: 'internal_error' } }
}
