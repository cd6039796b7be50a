import type { StopSignal } from '@tallystick/base'
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parse,
  Source,
  specifiedRules,
  TokenKind,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { QueryError } from '../query-error.ts'
import { coerceVariables, type Values } from './coerce-arguments.ts'

export type QueryRequest = {
  readonly query: string
  /** The text as `parseDocument` has parsed it, if the caller has done so. The text is then not parsed again. */
  readonly document?: DocumentNode | undefined
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

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

type Invalid = { readonly errors: readonly GraphQLError[] }

type ValidQuery = Pick<Query, 'document' | 'fragments'> & { readonly operations: readonly OperationDefinitionNode[] }

export type RequestReader = {
  /** Throws a `QueryError` for wrong variables. */
  read(request: QueryRequest): Query | Invalid
  /** Returns the errors of a text that is not a valid query. */
  findErrors(text: string): readonly GraphQLError[]
}

const tokensMax = 20_000
const cachedQueriesMax = 500
const cachedTextLengthMax = 20_000

/** Creates what parses, validates and coerces requests. It caches the most recently used texts. */
export function createRequestReader(schema: GraphQLSchema): RequestReader {
  const cache = new LRUCache<string, ValidQuery | Invalid>({ max: cachedQueriesMax })
  const findQuery = (text: string, document?: DocumentNode) => {
    const known = cache.get(text)
    if (known) return known
    const validated = validateQuery(schema, { text, document })
    if (text.length <= cachedTextLengthMax) cache.set(text, validated)
    return validated
  }
  return {
    read: (request) => {
      if (typeof request?.query !== 'string') throw new QueryError('The "query" field is not a string')
      const validated = findQuery(request.query, request.document)
      if ('errors' in validated) return validated
      const { document, operations, fragments } = validated
      const operation = chooseOperation(operations, request.operationName)
      const variables = coerceVariables(schema, { operation, variables: request.variables })
      return { document, operation, fragments, variables, rawVariables: request.variables ?? {} }
    },
    findErrors: (text) => {
      const validated = findQuery(text)
      return 'errors' in validated ? validated.errors : []
    },
  }
}

function validateQuery(
  schema: GraphQLSchema,
  { text, document: given }: { readonly text: string; readonly document?: DocumentNode | undefined },
): ValidQuery | Invalid {
  try {
    const document = given ?? parseDocument(text, { tokensMax })
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

/**
 * Parses the text of a query, which may be invalid for a schema. Throws a `GraphQLError` if it is not GraphQL, if its
 * brackets nest too deeply, or if it has too many tokens.
 */
export function parseDocument(text: string, limit: { readonly tokensMax: number }): DocumentNode {
  assertNesting(text, limit)
  return parse(text)
}

// graph-node's parser has the same limit. The parser of graphql-js would recurse until the stack overflows.
const nestingMax = 50

const opening: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const closing: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

/** Throws a `GraphQLError` if brackets in a text nest too deeply, or it has too many tokens, to be parsed safely. */
export function assertNesting(text: string, { tokensMax }: { readonly tokensMax: number }): void {
  const source = new Source(text)
  const lexer = new Lexer(source)
  let depth = 0
  let tokens = 0
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens += 1
    if (tokens > tokensMax) throw new GraphQLError(`Syntax Error: The query has more than ${tokensMax} tokens.`)
    if (opening.has(token.kind)) depth += 1
    else if (closing.has(token.kind)) depth -= 1
    if (depth > nestingMax) {
      const message = `Syntax Error: Recursion limit exceeded, brackets nest deeper than ${nestingMax}.`
      throw new GraphQLError(message, { source, positions: [token.start] })
    }
  }
}
