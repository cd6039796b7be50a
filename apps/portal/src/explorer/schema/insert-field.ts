import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isObjectType,
  isRequiredArgument,
  parse,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'

export type Insertion = {
  readonly text: string
  /** Position after the inserted field. */
  readonly cursor: number
}

type Options = {
  readonly schema: GraphQLSchema
  readonly typeName: string
  readonly fieldName: string
  /** Position of the cursor in the query. */
  readonly cursor: number
}

/**
 * Inserts a field where the query selects fields of its type: around the cursor if possible, else in the first such place. A
 * field of the root type starts a query if there is none. Returns what is wrong otherwise.
 */
export function insertField(
  text: string,
  { schema, typeName, fieldName, cursor }: Options,
): Insertion | { readonly fault: string } {
  const type = schema.getType(typeName)
  const field = isObjectType(type) ? type.getFields()[fieldName] : undefined
  if (!field) return { fault: `The schema has no field ${typeName}.${fieldName}.` }
  const isRoot = type === schema.getQueryType()
  const written = writeField(field)
  if (text.trim() === '') return isRoot ? placeAt(`{\n}`, { at: 2, written, indent: '' }) : cannotStart(typeName)
  const document = parseQuery(text)
  if (!document) return { fault: 'The query is not complete. Correct it first.' }
  const places = listSelections(document, { schema, typeName })
  const around = places.filter(({ start, end }) => start < cursor && cursor < end).at(-1)
  const place = around ?? places[0]
  if (!place) return cannotStart(typeName)
  const at = place.end - 1
  return placeAt(text, { at, written, indent: indentAt(text, at) })
}

function cannotStart(typeName: string): { readonly fault: string } {
  return { fault: `The query selects nothing of type ${typeName} yet. Insert a field that leads to it first.` }
}

/** Writes a field on a line of its own, before the closing brace at a position. */
function placeAt(
  text: string,
  { at, written, indent }: { readonly at: number; readonly written: string; readonly indent: string },
): Insertion {
  const before = text.slice(0, at).trimEnd()
  const line = `\n${indent}  ${written.replaceAll('\n', `\n${indent}  `)}`
  return { text: `${before}${line}\n${indent}${text.slice(at)}`, cursor: before.length + line.length }
}

/** Writes a field with its required arguments, and with `id` or `__typename` if it needs a selection. */
function writeField({ name, args, type }: GraphQLField<unknown, unknown>): string {
  const required = args.filter(isRequiredArgument).map((argument) => `${argument.name}: ${sampleOf(argument.type)}`)
  const call = required.length > 0 ? `${name}(${required.join(', ')})` : name
  const named = getNamedType(type)
  if (!isCompositeType(named)) return call
  const inner = isObjectType(named) && named.getFields()['id'] ? 'id' : '__typename'
  return `${call} {\n  ${inner}\n}`
}

function sampleOf(type: GraphQLField<unknown, unknown>['args'][number]['type']): string {
  const name = getNamedType(type).name
  return name === 'Int' || name === 'Float' ? '1' : name === 'Boolean' ? 'true' : '""'
}

function parseQuery(text: string): DocumentNode | undefined {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

function listSelections(
  document: DocumentNode,
  { schema, typeName }: Pick<Options, 'schema' | 'typeName'>,
): readonly { readonly start: number; readonly end: number }[] {
  const info = new TypeInfo(schema)
  const found: { readonly start: number; readonly end: number }[] = []
  const enter = ({ loc }: SelectionSetNode) => {
    if (loc && info.getParentType()?.name === typeName) found.push({ start: loc.start, end: loc.end })
  }
  visit(document, visitWithTypeInfo(info, { SelectionSet: { enter } }))
  return found
}

function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  return /^\s*/.exec(line)?.[0] ?? ''
}
