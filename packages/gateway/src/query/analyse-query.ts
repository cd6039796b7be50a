import { TallystickError } from '@tallystick/core'
import { parseDocument } from '@tallystick/subgraph'
import {
  type DefinitionNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  MaxIntrospectionDepthRule,
  type OperationDefinitionNode,
  print,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { queryRejected, type SubgraphQuery } from '../chain-subgraph.ts'
import {
  assertWithin,
  fragmentsOf,
  type MeasureContext,
  measureSelection,
  type QueryLimits,
  queryLimits,
  type Rows,
  type Variables,
} from './measure-selection.ts'
import { chainsName, stripChains } from './strip-chains.ts'

/** Facts about an operation that sending it requires. They are computed once per query text. */
type AnalysedOperation = {
  /** Unique per operation and text. Used in cache keys instead of the text. */
  readonly id: string
  readonly name: string | undefined
  readonly textWithHead: string
  readonly headAlias: string
  readonly variables: ReturnType<typeof variablesOf>
  readonly rows: Rows
}

export type AnalysedQuery = {
  /** Without declarations of `$chains`, if the variable selects the chains. */
  readonly text: string
  readonly operations: readonly AnalysedOperation[]
  /**
   * The text as it was parsed, so that an embedded subgraph does not parse it again. Only of the first analysis of a text:
   * it takes up to 100 times the memory of the text, and a subgraph keeps what it needs.
   */
  readonly document?: DocumentNode | undefined
}

// Counts the texts only. The analysis of a text takes a few times as much memory.
const textBytesMax = 4 * 1024 * 1024
const textsMax = 2_000

type AnalyseOptions = {
  readonly limits: QueryLimits
  /** Whether the variable `chains` selects the chains of a request. It is then no variable of the query. */
  readonly hasChains: boolean
}

/**
 * Creates the function that parses a query text and checks the limits. It caches results and errors. Throws
 * `query_rejected`.
 */
export function createAnalyse(
  schema: GraphQLSchema,
  options: AnalyseOptions = { limits: queryLimits, hasChains: true },
): (text: string) => AnalysedQuery {
  const cache = new LRUCache<string, AnalysedQuery | TallystickError>({
    max: textsMax,
    maxSize: textBytesMax,
    // lru-cache rejects a size of 0, and a text may be empty.
    sizeCalculation: (_, text) => Math.max(1, text.length),
  })
  let texts = 0
  return (text) => {
    const known = cache.get(text)
    if (known instanceof TallystickError) throw known
    if (known) return known
    texts += 1
    try {
      const analysed = analyse(schema, { ...options, text, id: texts.toString(36) })
      cache.set(text, { ...analysed, document: undefined })
      return analysed
    } catch (error) {
      if (error instanceof TallystickError) cache.set(text, error)
      throw error
    }
  }
}

function analyse(
  schema: GraphQLSchema,
  { text: given, id, limits, hasChains }: AnalyseOptions & { readonly text: string; readonly id: string },
): AnalysedQuery {
  const parsed = parseText(given, limits)
  assertQueries(parsed)
  // Most texts do not contain the name.
  const mayHaveChains = hasChains && given.includes(chainsName)
  const { text, document } = mayHaveChains ? stripChains(given, parsed) : { text: given, document: parsed }
  const context: MeasureContext = { schema, fragments: fragmentsOf(document), measured: new Map() }
  // A response key that the text does not contain.
  let headAlias = 'tallystickHead'
  while (text.includes(headAlias)) headAlias += '_'
  const analysed = document.definitions.filter(isOperation).map((operation, index): AnalysedOperation => {
    const rows = assertMeasures(context, { operation, limits })
    return {
      id: `${id}.${index}`,
      name: operation.name?.value,
      textWithHead: selectHead(text, { operation, headAlias }),
      headAlias,
      variables: variablesOf(operation),
      rows,
    }
  })
  const [tooDeep] = validate(schema, document, [MaxIntrospectionDepthRule])
  if (tooDeep) throw queryRejected(`${tooDeep.message}. Request the types one by one.`, { limit: 'introspection' })
  return { text, operations: analysed, document }
}

function parseText(text: string, limits: QueryLimits): DocumentNode {
  try {
    return parseDocument(text, { tokensMax: limits.tokens })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    if (/has more than \d+ tokens/.test(error.message)) assertWithin('tokens', Number.POSITIVE_INFINITY, limits)
    const [at] = error.locations ?? []
    throw queryRejected(`${error.message}${at ? ` (line ${at.line}, column ${at.column})` : ''}`)
  }
}

function assertQueries({ definitions }: DocumentNode): void {
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) continue
    if (!isOperation(definition)) {
      throw queryRejected('A query may contain operations and fragments only, not type definitions.')
    }
    if (definition.operation !== 'query') {
      const { operation } = definition
      throw queryRejected(`Only queries are supported. This is a ${operation}.`, { operation })
    }
  }
  const names = definitions.filter(isOperation).map(({ name }) => name?.value)
  if (names.length === 0) throw queryRejected('The query contains no operation.')
  if (names.length > 1 && names.includes(undefined)) {
    throw queryRejected('If a query has several operations, each needs a name.')
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw queryRejected(`The query has two operations named "${repeated}".`)
}

function isOperation(definition: DefinitionNode): definition is OperationDefinitionNode {
  return definition.kind === Kind.OPERATION_DEFINITION
}

/** Checks every limit except a row count that depends on variables. */
function assertMeasures(
  context: MeasureContext,
  { operation, limits }: { readonly operation: OperationDefinitionNode; readonly limits: QueryLimits },
): Rows {
  const type = context.schema.getQueryType() ?? undefined
  const { width, depth, fields, aliases, rows } = measureSelection(context, { set: operation.selectionSet, type })
  assertWithin('depth', depth, limits)
  assertWithin('aliases', aliases, limits)
  assertWithin('fields', fields, limits)
  assertWithin('rootFields', width, limits)
  if (typeof rows === 'number') {
    assertWithin('rows', rows, limits)
    return rows
  }
  const defaults = Object.fromEntries(variablesOf(operation).map((variable) => [variable.name, variable.default]))
  return (variables) => rows({ ...defaults, ...variables })
}

function variablesOf({ variableDefinitions = [] }: Pick<OperationDefinitionNode, 'variableDefinitions'>) {
  return variableDefinitions.map(({ variable, type, defaultValue }) => ({
    name: variable.name.value,
    type: print(type),
    isRequired: type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined,
    /** Numeric default, used where the variable is the value of a `first`. */
    default: defaultValue?.kind === Kind.INT ? Number(defaultValue.value) : undefined,
  }))
}

/** Inserts the selection of the head after the operation's first brace. The rest of the text is unchanged. */
function selectHead(
  text: string,
  { operation, headAlias }: { readonly operation: OperationDefinitionNode; readonly headAlias: string },
): string {
  const inside = (operation.selectionSet.loc?.start ?? 0) + 1
  const selection = ` ${headAlias}: _meta { block { number hash timestamp } } `
  return text.slice(0, inside) + selection + text.slice(inside)
}

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
