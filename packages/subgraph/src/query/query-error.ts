import type { ASTNode } from 'graphql'
import { GraphQLError, getLocation } from 'graphql'

export type Location = { readonly line: number; readonly column: number }

/** Reason why a query has no data. Callers decide by it; messages are for people. */
export type QueryFailureCode = QueryErrorCode | 'database_unavailable' | 'internal_error'

/** Reason why a query itself cannot be answered. */
export type QueryErrorCode = 'invalid_query' | 'not_started' | 'block_not_indexed' | 'query_timeout'

export type QueryErrorOptions = {
  /** `invalid_query` by default. */
  readonly code?: QueryErrorCode | undefined
  readonly locations?: readonly Location[] | undefined
}

/** Error about the query. Its message is shown to the client. Most messages are graph-node's. */
export class QueryError extends Error {
  override readonly name = 'QueryError' as const
  readonly code: QueryErrorCode
  readonly locations: readonly Location[] | undefined

  constructor(message: string, { code = 'invalid_query', locations }: QueryErrorOptions = {}) {
    super(message)
    this.code = code
    this.locations = locations
  }
}

/** Returns whether an error is about the query, so that its message may be shown. */
export function isPublicError(error: unknown): error is QueryError | GraphQLError {
  return error instanceof QueryError || error instanceof GraphQLError
}

/** Returns where a node of the query starts. */
export function locate(node: ASTNode | undefined): readonly Location[] | undefined {
  if (!node?.loc) return undefined
  const { line, column } = getLocation(node.loc.source, node.loc.start)
  return [{ line, column }]
}
