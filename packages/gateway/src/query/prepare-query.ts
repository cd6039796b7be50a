import { queryRejected, type SubgraphQuery } from '../chain-subgraph.ts'
import type { AnalysedOperation, AnalysedQuery } from './analyse-query.ts'
import type { Variables } from './measure-selection.ts'
import { assertWithin } from './query-limits.ts'

export type PreparedQuery = SubgraphQuery & {
  /** Cache key. Equal for equal requests. */
  readonly key: string
}

/** Applies the variables and operation name of one request to an analysed query. Throws `query_rejected`. */
export function prepareQuery(
  { text, operations, document }: AnalysedQuery,
  request: { readonly variables: Variables; readonly operationName: string | undefined },
): PreparedQuery {
  const operation = chooseOperation(operations, request.operationName)
  const variables = pickVariables(operation, request.variables)
  if (typeof operation.rows === 'function') assertWithin('rows', operation.rows(variables))
  const { id, textWithHead, headAlias } = operation
  return {
    text,
    document,
    textWithHead,
    headAlias,
    variables,
    // graph-node reads it only if there are several operations.
    operationName: operations.length > 1 ? operation.name : undefined,
    key: `${id} ${JSON.stringify(variables)}`,
  }
}

/** Returns the operation to run. Like graph-node, ignores the name if there is only one operation. */
function chooseOperation(operations: readonly AnalysedOperation[], name: string | undefined): AnalysedOperation {
  const [only] = operations
  if (only && operations.length === 1) return only
  const names = operations.map((operation) => operation.name).join(', ')
  if (name === undefined) throw queryRejected(`Set "operationName" to one of: ${names}.`)
  const named = operations.find((operation) => operation.name === name)
  if (named) return named
  throw queryRejected(`"operationName" is not the name of an operation in the query. Use one of: ${names}.`)
}

/** Returns the variables that the operation declares. Others would only fragment the cache. */
function pickVariables({ variables: declared }: AnalysedOperation, given: Variables): Variables {
  const picked: [string, unknown][] = []
  for (const { name, type, isRequired } of declared) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value !== undefined) picked.push([name, value])
    if (!isRequired || (value !== undefined && value !== null)) continue
    throw queryRejected(`The variable "$${name}" of type "${type}" is missing in "variables".`)
  }
  return Object.fromEntries(picked)
}
