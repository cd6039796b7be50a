import type { ASTNode } from 'graphql'
import { getLocation } from 'graphql'

export type Location = { readonly line: number; readonly column: number }

/** One entry of `errors`. */
export type ErrorEntry = {
  readonly message: string
  readonly locations?: readonly Location[] | undefined
  readonly extensions?: { readonly code: string } | undefined
}

/** A query that cannot be answered, in the words graph-node has for it. */
export class QueryError extends Error {
  override readonly name = 'QueryError' as const
  readonly locations: readonly Location[] | undefined

  constructor(message: string, locations?: readonly Location[]) {
    super(message)
    this.locations = locations
  }
}

/** Where a node of the query starts. */
export function locate(node: ASTNode | undefined): readonly Location[] | undefined {
  if (!node?.loc) return undefined
  const { line, column } = getLocation(node.loc.source, node.loc.start)
  return [{ line, column }]
}
