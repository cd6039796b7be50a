import { InvalidRequestError } from '../errors.ts'

/** Parsed GraphQL document of graphql-js, codegen or `gql`. */
export type DocumentLike = { readonly kind: 'Document'; readonly definitions: readonly unknown[] }

/** Node of a GraphQL query document (GraphQL specification, October 2021, §2). */
type Node = {
  readonly kind: string
  readonly name?: Node | undefined
  readonly value?: unknown
  readonly alias?: Node | undefined
  readonly block?: boolean | undefined
  readonly operation?: string | undefined
  readonly variable?: Node | undefined
  readonly type?: Node | undefined
  readonly defaultValue?: Node | undefined
  readonly typeCondition?: Node | undefined
  readonly selectionSet?: Node | undefined
  readonly selections?: readonly Node[] | undefined
  readonly arguments?: readonly Node[] | undefined
  readonly directives?: readonly Node[] | undefined
  readonly variableDefinitions?: readonly Node[] | undefined
  readonly values?: readonly Node[] | undefined
  readonly fields?: readonly Node[] | undefined
}

/** Prints a document as text. graphql-js would be a second dependency for 100 lines of code. */
export function printDocument(document: DocumentLike): string {
  return (document.definitions as readonly Node[]).map(print).join('\n')
}

function print(node: Node): string {
  switch (node.kind) {
    case 'OperationDefinition':
      return `${node.operation} ${text(node.name)}${list(node.variableDefinitions)}${rest(node)}`
    case 'FragmentDefinition':
      return `fragment ${text(node.name)} on ${text(node.typeCondition)}${rest(node)}`
    case 'VariableDefinition': {
      const defaultValue = node.defaultValue ? ` = ${print(node.defaultValue)}` : ''
      return `${text(node.variable)}: ${text(node.type)}${defaultValue}${rest(node)}`
    }
    case 'SelectionSet':
      return `{ ${(node.selections ?? []).map(print).join(' ')} }`
    case 'Field':
      return `${node.alias ? `${text(node.alias)}: ` : ''}${text(node.name)}${list(node.arguments)}${rest(node)}`
    case 'FragmentSpread':
      return `...${text(node.name)}${rest(node)}`
    case 'InlineFragment':
      return `...${node.typeCondition ? ` on ${print(node.typeCondition)}` : ''}${rest(node)}`
    case 'Directive':
      return `@${text(node.name)}${list(node.arguments)}`
    case 'Argument':
    case 'ObjectField':
      return `${text(node.name)}: ${print(node.value as Node)}`
    default:
      return printTypeOrValue(node)
  }
}

function printTypeOrValue(node: Node): string {
  switch (node.kind) {
    case 'Name':
    case 'IntValue':
    case 'FloatValue':
    case 'EnumValue':
    case 'BooleanValue':
      return String(node.value)
    case 'NamedType':
      return text(node.name)
    case 'ListType':
      return `[${text(node.type)}]`
    case 'NonNullType':
      return `${text(node.type)}!`
    case 'Variable':
      return `$${text(node.name)}`
    case 'StringValue':
      // JSON's escapes are all among GraphQL's. Block strings are printed as plain ones.
      return JSON.stringify(node.value)
    case 'NullValue':
      return 'null'
    case 'ListValue':
      return `[${(node.values ?? []).map(print).join(', ')}]`
    case 'ObjectValue':
      return `{ ${(node.fields ?? []).map(print).join(', ')} }`
    default:
      throw new InvalidRequestError({
        code: 'invalid_request',
        message: `The document contains a ${node.kind}, which is not allowed in a query.`,
      })
  }
}

function text(node: Node | undefined): string {
  return node ? print(node) : ''
}

function list(nodes: readonly Node[] | undefined): string {
  return nodes?.length ? `(${nodes.map(print).join(', ')})` : ''
}

/** Prints the directives and the selection set of a node. */
function rest({ directives = [], selectionSet }: Node): string {
  return [...directives.map((directive) => ` ${print(directive)}`), selectionSet ? ` ${print(selectionSet)}` : ''].join(
    '',
  )
}
