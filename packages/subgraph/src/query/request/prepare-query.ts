import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { type Fragments, fragmentsOf } from '../plan/collect-fields.ts'
import type { ErrorEntry } from '../query-error.ts'
import { assertNesting } from './assert-nesting.ts'

export type PreparedQuery =
  | {
      readonly document: DocumentNode
      readonly operations: readonly OperationDefinitionNode[]
      readonly fragments: Fragments
    }
  | { readonly errors: readonly ErrorEntry[] }

const tokensMax = 20_000
const cachedQueriesMax = 500
const cachedTextLengthMax = 20_000

/** Parses and validates a query once per distinct text, as long as it stays among the last ones used. */
export function createPrepare(schema: GraphQLSchema): (text: string) => PreparedQuery {
  const cache = new LRUCache<string, PreparedQuery>({ max: cachedQueriesMax })
  return (text) => {
    const known = cache.get(text)
    if (known) return known
    const prepared = prepare(schema, text)
    if (text.length <= cachedTextLengthMax) cache.set(text, prepared)
    return prepared
  }
}

function prepare(schema: GraphQLSchema, text: string): PreparedQuery {
  try {
    assertNesting(text, { tokensMax })
    const document = parse(text, { maxTokens: tokensMax })
    const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    const unsupported = operations.find(({ operation }) => operation !== 'query')?.operation
    if (unsupported !== undefined) {
      const name = unsupported === 'mutation' ? 'Mutations' : 'Subscriptions'
      return { errors: [{ message: `Not supported: ${name} are not supported` }] }
    }
    if (operations.length === 0) return { errors: [{ message: 'Operation name required' }] }
    const errors = validate(schema, document, specifiedRules)
    return errors.length > 0
      ? { errors: errors.map(toEntry) }
      : { document, operations, fragments: fragmentsOf(document) }
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [toEntry(error)] }
    throw error
  }
}

function toEntry({ message, locations }: GraphQLError): ErrorEntry {
  return locations ? { message, locations: locations.map(({ line, column }) => ({ line, column })) } : { message }
}
