import type { AnalysedOperation, AnalysedQuery } from './analyse-query.ts'
import { queryRejected, type SubgraphQuery } from './chain-subgraph.ts'
import type { Variables } from './measure-selection.ts'
import { assertWithin } from './query-limits.ts'

export type PreparedQuery = SubgraphQuery & {
  /** Equal for requests that ask for the same. */
  readonly key: string
}

/** Joins an analysed query with what one request asks of it. Throws `query_rejected`. */
export function prepareQuery(
  { text, operations }: AnalysedQuery,
  request: { readonly variables: Variables; readonly operationName: string | undefined },
): PreparedQuery {
  const operation = chooseOperation(operations, request.operationName)
  const variables = pickVariables(operation, request.variables)
  if (typeof operation.rows === 'function') assertWithin('rows', operation.rows(variables))
  const { id, textWithHead, headAlias } = operation
  return {
    text,
    textWithHead,
    headAlias,
    variables,
    // graph-node reads it only where there is a choice.
    operationName: operations.length > 1 ? operation.name : undefined,
    key: `${id} ${JSON.stringify(variables)}`,
  }
}

/** graph-node does not read the name: where there is one operation, that is the one, whatever the request calls it. */
function chooseOperation(operations: readonly AnalysedOperation[], name: string | undefined): AnalysedOperation {
  const [only] = operations
  if (only && operations.length === 1) return only
  const names = operations.map((operation) => operation.name).join(', ')
  if (name === undefined) throw queryRejected(`Say in "operationName" which operation is meant: ${names}.`)
  const named = operations.find((operation) => operation.name === name)
  if (named) return named
  throw queryRejected(`There is no operation of the name that "operationName" gives. There are: ${names}.`)
}

/** Those the operation declares: others would only make the same question look different. */
function pickVariables({ variables: declared }: AnalysedOperation, given: Variables): Variables {
  const picked: [string, unknown][] = []
  for (const { name, type, isRequired } of declared) {
    const value = name !== 'chains' && Object.hasOwn(given, name) ? given[name] : undefined
    if (value !== undefined) picked.push([name, value])
    if (!isRequired || (value !== undefined && value !== null)) continue
    throw queryRejected(
      name === 'chains'
        ? 'The variable "$chains" cannot be declared: "variables.chains" says which chains are asked and is not passed on.'
        : `The variable "$${name}" of type "${type}" is not in "variables".`,
    )
  }
  return Object.fromEntries(picked)
}
