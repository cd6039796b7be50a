import type { StopSignal } from '@tallystick/database'
import type { OperationDefinitionNode } from 'graphql'
import type { ApiSchema } from '../schema/api-schema.ts'
import type { Block } from '../store/block.ts'
import type { Store } from '../store/open-store.ts'
import { timedOut, toErrorEntry } from './answer/to-error-entry.ts'
import { planRoots } from './plan/plan-roots.ts'
import type { PlanContext } from './plan/plan-selection.ts'
import { type ErrorEntry, QueryError } from './query-error.ts'
import { coerceVariables } from './request/coerce-arguments.ts'
import { createPrepare, type PreparedQuery } from './request/prepare-query.ts'
import { answerBlockRoots } from './run/answer-block-roots.ts'
import { answerShape } from './run/answer-shape.ts'
import { createIntrospect } from './run/introspect.ts'
import { firstMax } from './sql/collection-sql.ts'
import { createShapes, type FindShape } from './sql/shape.ts'

export type QueryRequest = {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
  readonly operationName?: string | null | undefined
  /** Breaks the query off; the answer then says that it timed out. */
  readonly signal?: StopSignal | undefined
}

/**
 * `{ data }`, or `{ errors }` without data. Both only where root fields ask for different blocks and one of those
 * parts failed.
 */
export type QueryResult = {
  readonly data?: Readonly<Record<string, unknown>>
  readonly errors?: readonly ErrorEntry[]
}

/** A result with its data as JSON text, as one passes it on. */
export type Answer = {
  readonly data: string | undefined
  readonly errors: readonly ErrorEntry[] | undefined
  /** The head of the store it was read from; none if the data was not looked at. */
  readonly head: Block | undefined
}

export type QueryEngineOptions = {
  readonly api: ApiSchema
  readonly store: Store
  readonly deployment: string
  readonly timeoutMs: number
  readonly rowsMax: number
  readonly onInternalError: (error: unknown) => void
}

// Fragments can multiply a short text without end.
const selectedFieldsMax = 10_000

/** Makes the function that answers queries. It never throws: whatever goes wrong is in `errors`. */
export function createQueryEngine(options: QueryEngineOptions): (request: QueryRequest) => Promise<Answer> {
  const prepare = createPrepare(options.api.graphql)
  const introspect = createIntrospect(options.api.graphql)
  // A shape does not count its rows; it cannot have more than these.
  const findShape = options.rowsMax >= firstMax ? createShapes(options.store.layout) : () => undefined
  return async (request) => {
    try {
      if (typeof request?.query !== 'string') throw new QueryError('The "query" field is not a string')
      const prepared = prepare(request.query)
      if ('errors' in prepared) return { data: undefined, errors: prepared.errors, head: undefined }
      return await answer(options, { request, prepared, introspect, findShape })
    } catch (error) {
      const isCancelled = request?.signal?.aborted ?? false
      const entry = isCancelled ? timedOut : toErrorEntry(error, options.onInternalError)
      return { data: undefined, errors: [entry], head: undefined }
    }
  }
}

type Asking = {
  readonly request: QueryRequest
  readonly prepared: Exclude<PreparedQuery, { errors: unknown }>
  readonly introspect: ReturnType<typeof createIntrospect>
  readonly findShape: FindShape
}

async function answer(options: QueryEngineOptions, asking: Asking): Promise<Answer> {
  const { request, prepared, findShape } = asking
  const operation = chooseOperation(prepared.operations, request.operationName)
  const variables = coerceVariables(options.api.graphql, { operation, variables: request.variables })
  const budget = { max: selectedFieldsMax, left: selectedFieldsMax }
  const context: PlanContext = { api: options.api, fragments: prepared.fragments, variables, budget }
  const shape = findShape(context, operation)
  if (shape) return answerShape(options, { shape, variables, signal: request.signal })
  return answerAnything(options, { ...asking, context, operation })
}

async function answerAnything(
  options: QueryEngineOptions,
  {
    request,
    prepared: { document },
    introspect,
    context,
    operation,
  }: Asking & { readonly context: PlanContext; readonly operation: OperationDefinitionNode },
): Promise<Answer> {
  const { blockRoots, typenameKeys, introspection } = planRoots(context, operation)
  const described = introspect({
    context,
    document,
    operation,
    fields: introspection,
    variables: request.variables ?? {},
  })
  const { data, errors, head } = await answerBlockRoots(options, { context, blockRoots, signal: request.signal })
  if (data === undefined) return { data: undefined, errors, head }
  const typenames = typenameKeys.map((key) => [key, 'Query'])
  const merged = Object.fromEntries([...data, ...typenames, ...Object.entries(described)])
  return { data: JSON.stringify(merged), errors: errors.length > 0 ? errors : undefined, head }
}

/** graph-node does not read the name: where there is one operation, that is the one, whatever the request calls it. */
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
