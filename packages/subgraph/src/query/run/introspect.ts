import { execute, GraphQLSchema } from 'graphql'
import type { IntrospectionPlan } from '../plan/plan-introspection.ts'

export type Introspect = (plan: IntrospectionPlan) => Readonly<Record<string, unknown>>

/** Creates a function that runs introspection in graphql-js, with graph-node's list of types: sorted, without `__…`. */
export function createIntrospect(schema: GraphQLSchema): Introspect {
  const shown = showSorted(schema)
  return ({ document, variables, nullKeys }) => {
    const result = execute({ schema: shown, document, variableValues: variables })
    if ('then' in result) throw new Error('Introspection is synchronous.')
    const [error] = result.errors ?? []
    if (error) throw error
    return Object.fromEntries([...Object.entries(result.data ?? {}), ...nullKeys.map((key) => [key, null])])
  }
}

/** graphql-js lists types in the order it met them, and asks the schema for them through these methods. */
function showSorted(schema: GraphQLSchema): GraphQLSchema {
  const shown = new GraphQLSchema({ ...schema.toConfig(), assumeValid: true })
  const all = shown.getTypeMap()
  const names = Object.keys(all).filter((name) => !name.startsWith('__'))
  const types = Object.fromEntries(names.sort().map((name) => [name, all[name]]))
  return Object.assign(shown, { getTypeMap: () => types, getType: (name: string) => all[name] })
}
