import { assertValidSchema, buildSchema, type GraphQLSchema, GraphQLSchema as Schema } from 'graphql'
import { SubgraphError } from '../subgraph-error.ts'
import { type Entity, type EntityModel, type Field, getEntity, targetNameOf } from './entity-model.ts'
import { type FilterKey, filterKeysOf } from './filter-keys.ts'
import { parseSchema } from './parse-schema.ts'
import { rootFieldNames } from './root-field-names.ts'

type RootField = { readonly kind: 'single' | 'collection'; readonly entity: Entity }

/** GraphQL API of a model, with the meaning of its generated names. */
export type ApiSchema = {
  readonly model: EntityModel
  readonly graphql: GraphQLSchema
  readonly rootFields: ReadonlyMap<string, RootField>
  /** By entity name, then by key of its `where`. */
  readonly filterKeys: ReadonlyMap<string, ReadonlyMap<string, FilterKey>>
  /** By entity name, then by value of its `orderBy`. */
  readonly orderings: ReadonlyMap<string, ReadonlyMap<string, Ordering>>
}

// Introspection shows the order of arguments, and code generators copy it. Nested collections have only the first part.
const collectionArguments = (name: string) =>
  `skip: Int = 0, first: Int = 100, orderBy: ${name}_orderBy, orderDirection: OrderDirection, where: ${name}_filter`
const rootArguments = 'block: Block_height, subgraphError: _SubgraphErrorPolicy_! = deny'

const fixedTypes = `
scalar BigDecimal
scalar BigInt
scalar Bytes
scalar Int8
scalar Timestamp
directive @entity on OBJECT
directive @subgraphId(id: String!) on OBJECT
directive @derivedFrom(field: String!) on FIELD_DEFINITION
enum OrderDirection { asc desc }
enum _SubgraphErrorPolicy_ { allow deny }
input Block_height { hash: Bytes number: Int number_gte: Int }
input BlockChangedFilter { number_gte: Int! }
type _Block_ { hash: Bytes number: Int! timestamp: Int parentHash: Bytes }
type _Meta_ { block: _Block_! deployment: String! hasIndexingErrors: Boolean! }
`
const shownDirectives = ['skip', 'include', 'entity', 'subgraphId', 'derivedFrom']

/** Generates the same API as graph-node. Names, arguments and their order are part of the contract. */
export function buildApiSchema(model: EntityModel): ApiSchema {
  const entities = [...model.entities.values()]
  return {
    model,
    graphql: buildGraphqlSchema(model),
    rootFields: new Map(entities.flatMap(rootFieldsOf)),
    filterKeys: mapPerEntity(entities, (entity) => filterKeysOf(entity).map((key) => [key.key, key])),
    orderings: mapPerEntity(entities, (entity) => orderingsOf(model, entity).map((order) => [order.name, order])),
  }
}

function mapPerEntity<Value>(
  entities: readonly Entity[],
  entriesOf: (entity: Entity) => readonly (readonly [string, Value])[],
): ReadonlyMap<string, ReadonlyMap<string, Value>> {
  return new Map(entities.map((entity) => [entity.name, new Map(entriesOf(entity))]))
}

function rootFieldsOf(entity: Entity): [string, RootField][] {
  const { singular, plural } = rootFieldNames(entity.name)
  return [
    [singular, { kind: 'single', entity }],
    [plural, { kind: 'collection', entity }],
  ]
}

function buildGraphqlSchema(model: EntityModel): GraphQLSchema {
  try {
    const config = buildSchema(printApi(model)).toConfig()
    const directives = shownDirectives.flatMap((name) => config.directives.filter((found) => found.name === name))
    const schema = new Schema({ ...config, directives })
    assertValidSchema(schema)
    return schema
  } catch (cause) {
    // Generated names clash, or GraphQL reserves them. Its message says which.
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new SubgraphError({
      code: 'invalid_schema',
      message: `The schema cannot be converted to a valid API: ${message}`,
      cause,
    })
  }
}

function printApi(model: EntityModel): string {
  const entities = [...model.entities.values()]
  return [
    fixedTypes,
    `type Query {\n${entities.map(printRootFields).join('\n')}\n_meta(block: Block_height): _Meta_\n}`,
    ...[...model.enums.values()].map(({ name, values }) => `enum ${name} { ${values.join(' ')} }`),
    ...entities.flatMap((entity) => [printEntity(entity), printFilter(entity), printOrderBy(model, entity)]),
  ].join('\n')
}

function printRootFields({ name }: Entity): string {
  const { singular, plural } = rootFieldNames(name)
  return [
    `${singular}(id: ID!, ${rootArguments}): ${name}`,
    `${plural}(${collectionArguments(name)}, ${rootArguments}): [${name}!]!`,
  ].join('\n')
}

function printEntity({ name, description, fields }: Entity): string {
  return `${printDescription(description)}type ${name} {\n${fields.map(printField).join('\n')}\n}`
}

function printField(field: Field): string {
  const target = targetNameOf(field)
  const isEntity = field.kind === 'derived' || field.type.kind === 'reference'
  const parameters = isEntity && field.isList ? `(${collectionArguments(target)})` : ''
  return `${printDescription(field.description)}${field.name}${parameters}: ${printType(field, target)}`
}

function printType({ isList, isRequired, areElementsRequired }: Field, target: string): string {
  const inner = isList ? `[${target}${areElementsRequired ? '!' : ''}]` : target
  return isRequired ? `${inner}!` : inner
}

function printDescription(description: string | undefined): string {
  // A JSON string is a valid GraphQL string.
  return description === undefined ? '' : `${JSON.stringify(description)}\n`
}

function printFilter(entity: Entity): string {
  const keys = filterKeysOf(entity).map(({ key, operandType }) => `${key}: ${operandType}`)
  const filter = `${entity.name}_filter`
  return `input ${filter} {\n${keys.join('\n')}\n_change_block: BlockChangedFilter\nand: [${filter}]\nor: [${filter}]\n}`
}

function printOrderBy(model: EntityModel, entity: Entity): string {
  return `enum ${entity.name}_orderBy { ${orderingsOf(model, entity)
    .map(({ name }) => name)
    .join(' ')} }`
}

// A service has one schema, and building its API takes 100 ms.
let last: { readonly sdl: string; readonly api: ApiSchema } | undefined

/** Returns the API of an SDL. The last one is kept. */
export function apiSchemaOf(sdl: string): ApiSchema {
  if (last?.sdl !== sdl) last = { sdl, api: buildApiSchema(parseSchema(sdl)) }
  return last.api
}

/** Returns the GraphQL API of a subgraph with this SDL. */
export function graphqlSchemaOf(schema: string): GraphQLSchema {
  return apiSchemaOf(schema).graphql
}

/** Value of `X_orderBy`: a field of the entity, or a field of the target of a single reference. */
export type Ordering = { readonly name: string; readonly field: Field; readonly childField?: Field | undefined }

function orderingsOf(model: EntityModel, entity: Entity): readonly Ordering[] {
  return entity.fields.flatMap((field) => [{ name: field.name, field }, ...childOrderings(model, field)])
}

function childOrderings(model: EntityModel, field: Field): readonly Ordering[] {
  const target = field.kind === 'derived' ? field.entity : field.type.kind === 'reference' ? field.type.name : undefined
  if (target === undefined || field.isList) return []
  return getEntity(model, target)
    .fields.filter((child) => child.kind === 'stored' && !child.isList && child.type.kind !== 'reference')
    .map((childField) => ({ name: `${field.name}__${childField.name}`, field, childField }))
}
