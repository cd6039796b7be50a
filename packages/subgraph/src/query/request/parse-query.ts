import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { assertNesting } from './assert-nesting.ts'

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

export type ParsedQuery =
  | {
      readonly document: DocumentNode
      readonly operations: readonly OperationDefinitionNode[]
      readonly fragments: Fragments
    }
  | { readonly errors: readonly GraphQLError[] }

const tokensMax = 20_000
const cachedQueriesMax = 500
const cachedTextLengthMax = 20_000

/** Creates a function that parses and validates queries. It caches the result of the most recently used texts. */
export function createQueryParser(schema: GraphQLSchema): (text: string) => ParsedQuery {
  const cache = new LRUCache<string, ParsedQuery>({ max: cachedQueriesMax })
  return (text) => {
    const known = cache.get(text)
    if (known) return known
    const parsed = parseQuery(schema, text)
    if (text.length <= cachedTextLengthMax) cache.set(text, parsed)
    return parsed
  }
}

function parseQuery(schema: GraphQLSchema, text: string): ParsedQuery {
  try {
    assertNesting(text, { tokensMax })
    const document = parse(text, { maxTokens: tokensMax })
    const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    const unsupported = operations.find(({ operation }) => operation !== 'query')?.operation
    if (unsupported !== undefined) {
      const name = unsupported === 'mutation' ? 'Mutations' : 'Subscriptions'
      return { errors: [new GraphQLError(`Not supported: ${name} are not supported`)] }
    }
    if (operations.length === 0) return { errors: [new GraphQLError('Operation name required')] }
    const errors = validate(schema, document, specifiedRules)
    return errors.length > 0 ? { errors } : { document, operations, fragments: fragmentsOf(document) }
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] }
    throw error
  }
}

function fragmentsOf(document: DocumentNode): Fragments {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
}
