import type { OperationDefinitionNode } from 'graphql'
import { LRUCache } from 'lru-cache'
import { type PlanOptions, planQuery } from '../plan/plan-query.ts'
import { openVariables, signatureOf } from '../request/open-variables.ts'
import type { Query } from '../request/read-request.ts'
import { type CompiledQuery, type CompileOptions, compileQuery } from './compile-query.ts'

const cachedQueriesMax = 500

/**
 * Creates a function that plans and compiles queries. Queries of one statement are cached by their shape: the same
 * operation with variables that only become parameters of the statement.
 */
export function createCompiler(options: PlanOptions & CompileOptions): (query: Query) => CompiledQuery {
  const cache = new LRUCache<string, CompiledQuery | 'not_cacheable'>({ max: cachedQueriesMax })
  const shapeOf = createShapeKeys()
  const compile = (query: Query) => compileQuery(options, planQuery(options, query))
  const compileShape = (query: Query): CompiledQuery | 'not_cacheable' => {
    const variables = openVariables(query.variables)
    const compiled = compile({ ...query, variables: variables.values })
    const isCacheable = compiled.read.kind === 'statement' && !compiled.introspection && !variables.areRead
    return isCacheable ? compiled : 'not_cacheable'
  }
  return (query) => {
    const shape = shapeOf(query)
    if (shape === undefined) return compile(query)
    let known = cache.get(shape)
    if (!known) {
      known = compileShape(query)
      cache.set(shape, known)
    }
    return known === 'not_cacheable' ? compile(query) : known
  }
}

/** Creates a function that returns the cache key of a query's shape, or undefined if its variables allow none. */
function createShapeKeys(): (query: Query) => string | undefined {
  const numbers = new WeakMap<OperationDefinitionNode, number>()
  let lastNumber = 0
  return ({ operation, variables }) => {
    const signature = signatureOf(variables)
    if (signature === undefined) return undefined
    const number = numbers.get(operation) ?? ++lastNumber
    numbers.set(operation, number)
    return `${number}${signature}`
  }
}
