import type { ApiSchema } from '../schema/api-schema.ts'
import { describeFailure, type ErrorEntry, timedOut } from './answer/describe-failure.ts'
import { type Answer, writeAnswer, writeFailures } from './answer/write-answer.ts'
import { createRequestReader, type QueryRequest } from './request/read-request.ts'
import { createIntrospect } from './run/introspect.ts'
import { type RunOptions, runQuery } from './run/run-query.ts'
import { createCompiler } from './sql/create-compiler.ts'

/**
 * `{ data }`, or `{ errors }` without data. It has both only if root fields ask for different blocks and those of one
 * block failed.
 */
export type QueryResult = {
  readonly data?: Readonly<Record<string, unknown>>
  readonly errors?: readonly ErrorEntry[]
}

export type QueryEngineOptions = RunOptions & {
  readonly api: ApiSchema
  readonly onInternalError: (error: unknown) => void
}

export type QueryEngine = {
  answer(request: QueryRequest): Promise<Answer>
  findErrors(query: string): readonly ErrorEntry[]
}

/**
 * Creates the engine that answers queries. Every query takes the same steps: read the request, plan, compile to SQL,
 * run, write the answer. It never throws: errors are in the answer.
 */
export function createQueryEngine(options: QueryEngineOptions): QueryEngine {
  const { api, store, deployment, rowsMax } = options
  const describe = (error: unknown) => describeFailure(error, options.onInternalError)
  const reader = createRequestReader(api.graphql)
  const compile = createCompiler({ api, layout: store.layout, rowsMax })
  const runOptions = { ...options, introspect: createIntrospect(api.graphql) }
  const answer = async (request: QueryRequest) => {
    try {
      const query = reader.read(request)
      if ('errors' in query) return writeFailures(query.errors.map(describe))
      const compiled = compile(query)
      const { variables } = query
      const result = await runQuery(runOptions, { compiled, variables, signal: request.signal })
      return writeAnswer({ deployment, describe }, { plan: compiled, result })
    } catch (error) {
      return writeFailures([request?.signal?.aborted ? timedOut : describe(error)])
    }
  }
  return {
    answer,
    findErrors: (query) => reader.findErrors(query).map((error) => describe(error).entry),
  }
}
