import type { OperationDefinitionNode } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { ApiSchema } from '../../schema/api-schema.ts'
import { getTable, headSql, type Layout } from '../../store/layout.ts'
import {
  type EntityRoot,
  type MetaRoot,
  type PlanOptions,
  planQuery,
  type QueryPlan,
  type ReadPlan,
} from '../plan/plan-query.ts'
import type { Query } from '../request/read-request.ts'
import { rootSql } from './collection-sql.ts'
import { type CompiledRoot, compileRoot } from './compile-root.ts'
import { objectSql } from './json-sql.ts'
import { openVariables, type Scope, type Statement, signatureOf, type Visibility } from './statement.ts'

const cachedQueriesMax = 500

/**
 * Creates a function that plans and compiles queries. Queries of one statement are cached by their shape: the same
 * operation with variables that only become parameters of the statement.
 */
export function createCompiler(options: PlanOptions & CompileOptions): (query: Query) => CompiledQuery {
  const cache = new LRUCache<string, CompiledQuery | 'not_cacheable'>({ max: cachedQueriesMax })
  const shapeOf = createShapeKeys()
  const compile = (query: Query): CompiledQuery => {
    const plan = planQuery(options, query)
    return { ...plan, read: compileRead(options, plan.read) }
  }
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

/** Root field of a snapshot. The block that it reads is known only inside the snapshot, and decides its SQL. */
export type SnapshotRoot = MetaRoot | (EntityRoot & { readonly compileAt: (visibility: Visibility) => CompiledRoot })

/** `ReadPlan` with its SQL. */
export type CompiledRead =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'statement'
      readonly statement: JsonStatement
      /** Response key of the entities, if there are any. */
      readonly key: string | undefined
      readonly metas: readonly MetaRoot[]
    }
  | { readonly kind: 'snapshot'; readonly roots: readonly SnapshotRoot[] }

export type CompiledQuery = Omit<QueryPlan, 'read'> & { readonly read: CompiledRead }

type CompileOptions = { readonly api: ApiSchema; readonly layout: Layout }

function compileRead({ api, layout }: CompileOptions, read: ReadPlan): CompiledRead {
  switch (read.kind) {
    case 'nothing':
      return read
    case 'statement': {
      const { root, metas } = read
      const statement: JsonStatement = root
        ? compileJsonRoot({ api, layout, visibility: 'head' }, root)
        : { text: headSql(layout), parameters: [], jsonIfNull: 'null' }
      return { kind: 'statement', statement, key: root?.key, metas }
    }
    case 'snapshot': {
      const roots = read.roots.map((root) => {
        if (root.kind === 'meta') return root
        const compileAt = (visibility: Visibility) => compileRoot({ api, layout, visibility }, root)
        return { ...root, compileAt }
      })
      return { kind: 'snapshot', roots }
    }
  }
}

/** Statement that returns one row: the head, and the value of a root field as JSON text in `json`, or null. */
type JsonStatement = Statement & { readonly jsonIfNull: '[]' | 'null' }

/** Compiles a root field without nested levels to one statement, which returns the JSON that the client receives. */
function compileJsonRoot(scope: Scope, root: EntityRoot): JsonStatement {
  const { entity, fields } = root.plan
  const { clauses, parameters } = rootSql(scope, root)
  const object = objectSql(getTable(scope.layout, entity.name), fields)
  const isSingle = root.kind === 'single'
  const json = isSingle
    ? `select ${object} ${clauses}`
    : `select '[' || string_agg(o.json, ',') || ']' from (select ${object} as json ${clauses}) as o`
  const text = `select h.*, (${json}) as json from (${headSql(scope.layout)}) as h`
  return { text, parameters, jsonIfNull: isSingle ? 'null' : '[]' }
}
