import type { StopSignal } from '@tallystick/base'
import type { DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql'
import { QueryError } from '../query-error.ts'
import { coerceVariables, type Values } from './coerce-arguments.ts'
import type { Fragments, ParsedQuery } from './parse-query.ts'

export type QueryRequest = {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
  readonly operationName?: string | null | undefined
  /** Cancels the query. The answer is then a timeout. */
  readonly signal?: StopSignal | undefined
}

/** Valid query with the operation to run and its coerced variables. */
export type Query = {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly fragments: Fragments
  readonly variables: Values
  /** As the request has them: graphql-js coerces them itself for introspection. */
  readonly rawVariables: Readonly<Record<string, unknown>>
}

export type ReadRequest = (request: QueryRequest) => Query | { readonly errors: readonly GraphQLError[] }

/** Creates a function that parses a request and coerces its variables. It throws a `QueryError` for wrong variables. */
export function createRequestReader(schema: GraphQLSchema, parseQuery: (text: string) => ParsedQuery): ReadRequest {
  return (request) => {
    if (typeof request?.query !== 'string') throw new QueryError('The "query" field is not a string')
    const parsed = parseQuery(request.query)
    if ('errors' in parsed) return parsed
    const { document, operations, fragments } = parsed
    const operation = chooseOperation(operations, request.operationName)
    const variables = coerceVariables(schema, { operation, variables: request.variables })
    return { document, operation, fragments, variables, rawVariables: request.variables ?? {} }
  }
}

/** Returns the operation of that name. A single operation is returned whatever the name, as graph-node does. */
function chooseOperation(
  operations: readonly OperationDefinitionNode[],
  name: string | null | undefined,
): OperationDefinitionNode {
  const [only] = operations
  if (only && operations.length === 1) return only
  if (!name) throw new QueryError('Operation name required')
  const named = operations.find((operation) => operation.name?.value === name)
  if (!named) throw new QueryError(`Unknown operation named "${name}".`)
  return named
}
