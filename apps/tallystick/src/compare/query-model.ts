import {
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql'

/** Field of an entity. */
export type FieldModel = {
  readonly name: string
  /** `scalars` and `entities` are lists. A list of entities takes `first`, `skip`, `orderBy` and `where`. */
  readonly kind: 'scalar' | 'scalars' | 'entity' | 'entities'
  /** Name of the scalar or of the entity. */
  readonly type: string
  readonly isNullable: boolean
  /** Suffixes of its filters, such as `_gt`. Empty for equality. `_` is the filter of the entity's own fields. */
  readonly filters: readonly string[]
}

export type EntityModel = {
  readonly name: string
  /** Root field of one entity, by id, and that of a list. */
  readonly singular: string
  readonly plural: string
  readonly fields: readonly FieldModel[]
  /** Values of `orderBy` that have one result: graph-node sorts by the id of the parent last, except with `child__id`. */
  readonly orderings: readonly string[]
}

export type QueryModel = ReadonlyMap<string, EntityModel>

/** Reads the entities of a subgraph, with their filters and orders, from its GraphQL API. */
export function readQueryModel(schema: GraphQLSchema): QueryModel {
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {})
  const singulars = roots.filter(({ args }) => args.some(({ name }) => name === 'id'))
  return new Map(
    singulars.flatMap((singular): [string, EntityModel][] => {
      const { name } = getNamedType(singular.type)
      const plural = roots.find((root) => root !== singular && getNamedType(root.type).name === name)
      return plural ? [[name, readEntity(singular.name, plural)]] : []
    }),
  )
}

function readEntity(singular: string, plural: GraphQLField<unknown, unknown>): EntityModel {
  const type = getNamedType(plural.type)
  const argument = (name: string) => getNamedType(plural.args.find((one) => one.name === name)?.type)
  const where = argument('where')
  const orderBy = argument('orderBy')
  if (!isObjectType(type) || !isInputObjectType(where) || !isEnumType(orderBy)) {
    throw new Error(`the root field ${plural.name} is not a list of entities`)
  }
  const filters = Object.keys(where.getFields())
  const fields = Object.values(type.getFields()).map((field) => readField(field, filters))
  const scalars = new Set(fields.flatMap(({ name, kind }) => (kind === 'scalar' ? name : [])))
  const values = orderBy.getValues().map(({ name }) => name)
  const orderings = values.filter((name) => scalars.has(name) || /^[^_]+__(?!id$)/.test(name))
  return { name: type.name, singular, plural: plural.name, fields, orderings }
}

function readField({ name, type }: GraphQLField<unknown, unknown>, filters: readonly string[]): FieldModel {
  const named = getNamedType(type)
  const isList = isListType(getNullableType(type))
  const kind = isObjectType(named) ? (isList ? 'entities' : 'entity') : isList ? 'scalars' : 'scalar'
  const suffixes = filters.flatMap((filter) => (filter.startsWith(name) ? filter.slice(name.length) : []))
  return {
    name,
    kind,
    type: named.name,
    isNullable: getNullableType(type) === type,
    // A filter of another field may begin with the same letters.
    filters: suffixes.filter((suffix) => suffix === '' || suffix.startsWith('_')),
  }
}
