import type { GraphQLError } from 'graphql'
import { isPublicError, type Location, QueryError, type QueryFailureCode } from '../query-error.ts'

/** One entry of `errors`. */
export type ErrorEntry = {
  readonly message: string
  readonly locations?: readonly Location[] | undefined
  readonly extensions?: { readonly code: string } | undefined
}

/** Error as the client sees it, and its code for callers in this process. */
export type Failure = { readonly code: QueryFailureCode; readonly entry: ErrorEntry }

/** Failure of a query that was cancelled or took too long. */
export const timedOut = failureWithCode('query_timeout', 'Query timed out')

/** Describes an error. The client does not see the message of an internal error: it goes to `onInternalError`. */
export function describeFailure(error: unknown, onInternalError: (error: unknown) => void): Failure {
  if (isPublicError(error)) return describePublicError(error)
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  // SQLSTATE 57014 is a cancelled statement. The deadline cancels statements that run or wait.
  if (code === '57014' || (error instanceof Error && error.name === 'AbortError')) return timedOut
  // SQLSTATE class 22 is a value that PostgreSQL cannot use, such as a pattern that ends in \, and class 54 a statement
  // beyond its limits.
  if (typeof code === 'string' && /^(22|54)/.test(code)) return invalidQuery(`Store error: ${String(message)}`)
  if (error instanceof RangeError) return invalidQuery('The query is nested too deeply.')
  onInternalError(error)
  return code === 'database_unavailable'
    ? failureWithCode(code, 'Store error: the database cannot be reached')
    : failureWithCode('internal_error', 'Store error: internal error')
}

function describePublicError(error: QueryError | GraphQLError): Failure {
  const { message } = error
  const code = error instanceof QueryError ? error.code : 'invalid_query'
  const locations = error.locations?.map(({ line, column }) => ({ line, column }))
  return { code, entry: locations ? { message, locations } : { message } }
}

function invalidQuery(message: string): Failure {
  return { code: 'invalid_query', entry: { message } }
}

/** Clients see these codes, and no others. */
function failureWithCode(code: QueryFailureCode, message: string): Failure {
  return { code, entry: { message, extensions: { code } } }
}
