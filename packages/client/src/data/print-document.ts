import { InvalidRequestError } from '../errors.ts'

/** Parsed GraphQL document of graphql-js, codegen or `gql`. */
export type DocumentLike = { readonly kind: 'Document'; readonly definitions: readonly unknown[] }

type Child = 'name' | 'alias' | 'variable' | 'type' | 'defaultValue' | 'typeCondition' | 'selectionSet'
type Children = 'selections' | 'arguments' | 'directives' | 'variableDefinitions' | 'values' | 'fields'

/** Node of a GraphQL query document (GraphQL specification, October 2021, §2). */
type Node = { readonly kind: string; readonly value?: unknown; readonly operation?: string | undefined } & {
  readonly [Name in Child]?: Node | undefined
} & { readonly [Name in Children]?: readonly Node[] | undefined }

/** Prints a document as text. graphql-js would be a second dependency for 100 lines of code. */
export function printDocument(document: DocumentLike): string {
  return (document.definitions as readonly Node[]).map(print).join('\n')
}

const printValue = ({ value }: Node) => String(value)
const printPair = ({ name, value }: Node) => `${text(name)}: ${print(value as Node)}`

const printers: Readonly<Record<string, (node: Node) => string>> = {
  OperationDefinition: (node) => `${node.operation} ${text(node.name)}${list(node.variableDefinitions)}${rest(node)}`,
  FragmentDefinition: (node) => `fragment ${text(node.name)} on ${text(node.typeCondition)}${rest(node)}`,
  VariableDefinition: (node) =>
    `${text(node.variable)}: ${text(node.type)}${text(node.defaultValue, ' = ')}${rest(node)}`,
  SelectionSet: ({ selections = [] }) => `{ ${selections.map(print).join(' ')} }`,
  Field: (node) =>
    `${node.alias ? `${print(node.alias)}: ` : ''}${text(node.name)}${list(node.arguments)}${rest(node)}`,
  FragmentSpread: (node) => `...${text(node.name)}${rest(node)}`,
  InlineFragment: (node) => `...${text(node.typeCondition, ' on ')}${rest(node)}`,
  Directive: (node) => `@${text(node.name)}${list(node.arguments)}`,
  Argument: printPair,
  ObjectField: printPair,
  Name: printValue,
  IntValue: printValue,
  FloatValue: printValue,
  EnumValue: printValue,
  BooleanValue: printValue,
  NamedType: ({ name }) => text(name),
  ListType: ({ type }) => `[${text(type)}]`,
  NonNullType: ({ type }) => `${text(type)}!`,
  Variable: ({ name }) => `$${text(name)}`,
  // JSON's escapes are all among GraphQL's. Block strings are printed as plain ones.
  StringValue: ({ value }) => JSON.stringify(value),
  NullValue: () => 'null',
  ListValue: ({ values = [] }) => `[${values.map(print).join(', ')}]`,
  ObjectValue: ({ fields = [] }) => `{ ${fields.map(print).join(', ')} }`,
}

function print(node: Node): string {
  const printer = Object.hasOwn(printers, node.kind) ? printers[node.kind] : undefined
  if (printer) return printer(node)
  throw new InvalidRequestError({
    code: 'invalid_request',
    message: `The document contains a ${node.kind}, which is not allowed in a query.`,
  })
}

function text(node: Node | undefined, before = ''): string {
  return node ? before + print(node) : ''
}

function list(nodes: readonly Node[] | undefined): string {
  return nodes?.length ? `(${nodes.map(print).join(', ')})` : ''
}

/** Prints the directives and the selection set of a node. */
function rest({ directives = [], selectionSet }: Node): string {
  return directives.map((directive) => text(directive, ' ')).join('') + text(selectionSet, ' ')
}
