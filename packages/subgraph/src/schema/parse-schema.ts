import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type EnumTypeDefinitionNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  type TypeNode,
} from 'graphql'
import { SubgraphError } from '../subgraph-error.ts'
import {
  type Entity,
  type EntityModel,
  type Field,
  type IdScalar,
  idScalars,
  type Scalar,
  type StoredType,
  scalars,
} from './entity-model.ts'

// PostgreSQL truncates longer identifiers, so two could become equal.
const identifierLengthMax = 63

type Types = {
  readonly enums: ReadonlyMap<string, EnumTypeDefinitionNode>
  readonly objects: ReadonlyMap<string, ObjectTypeDefinitionNode>
}

/** Parses SDL with `@entity` and `@derivedFrom`. Throws a `SubgraphError` that names an unsupported feature. */
export function parseSchema(sdl: string): EntityModel {
  const types = collectTypes(parseSdl(sdl))
  const enums = [...types.enums.values()].map(({ name, values = [] }) => {
    if (values.length === 0) throw refuse(`The enum ${name.value} has no values.`)
    return { name: name.value, values: values.map((value) => value.name.value) }
  })
  const entities = [...types.objects.values()].map((node) => parseEntity(node, types))
  if (entities.length === 0) throw refuse('The schema has no type with @entity.')
  const model = {
    entities: new Map(entities.map((entity) => [entity.name, entity])),
    enums: new Map(enums.map((enumeration) => [enumeration.name, enumeration])),
  }
  checkDerivedFields(model)
  return model
}

function parseSdl(sdl: string): readonly DefinitionNode[] {
  try {
    return parse(sdl, { noLocation: true }).definitions
  } catch (cause) {
    throw new SubgraphError({
      code: 'invalid_schema',
      message: `The schema cannot be parsed: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    })
  }
}

function collectTypes(definitions: readonly DefinitionNode[]): Types {
  const enums = new Map<string, EnumTypeDefinitionNode>()
  const objects = new Map<string, ObjectTypeDefinitionNode>()
  for (const definition of definitions) {
    if (definition.kind !== Kind.ENUM_TYPE_DEFINITION && definition.kind !== Kind.OBJECT_TYPE_DEFINITION) {
      throw refuse(`${describeDefinition(definition)} is not supported. Use object types with @entity, and enums.`)
    }
    const name = definition.name.value
    if (enums.has(name) || objects.has(name)) throw refuse(`The type ${name} is defined twice.`)
    if (name.length > identifierLengthMax) throw refuse(`The type name ${name} is longer than ${identifierLengthMax}.`)
    if (definition.kind === Kind.ENUM_TYPE_DEFINITION) enums.set(name, definition)
    else objects.set(name, definition)
  }
  return { enums, objects }
}

function describeDefinition(definition: DefinitionNode): string {
  const name = 'name' in definition ? definition.name?.value : undefined
  return `${definition.kind}${name ? ` "${name}"` : ''}`
}

function parseEntity(node: ObjectTypeDefinitionNode, types: Types): Entity {
  const name = node.name.value
  if (node.interfaces?.length) throw refuse(`Interfaces are not supported, but ${name} implements one.`)
  for (const directive of node.directives ?? []) checkEntityDirective(name, directive)
  if (!node.directives?.some((directive) => directive.name.value === 'entity')) {
    throw refuse(`The type ${name} has no @entity directive.`)
  }
  const fields = (node.fields ?? []).map((field) => parseField(field, { entity: name, types }))
  const repeated = fields.find((field, index) => fields.findIndex((other) => other.name === field.name) !== index)
  if (repeated) throw refuse(`The field ${name}.${repeated.name} is defined twice.`)
  return { name, description: node.description?.value, idScalar: getIdScalar(node), fields }
}

function checkEntityDirective(entity: string, directive: ConstDirectiveNode): void {
  if (directive.name.value !== 'entity') {
    throw refuse(`The directive @${directive.name.value} on ${entity} is not supported.`)
  }
  for (const argument of directive.arguments ?? []) {
    const isOff = argument.value.kind === Kind.BOOLEAN && !argument.value.value
    // The store does not need to know which entities are immutable.
    if (argument.name.value === 'immutable' || isOff) continue
    throw refuse(`@entity(${argument.name.value}: …) on ${entity} is not supported.`)
  }
}

function getIdScalar(node: ObjectTypeDefinitionNode): IdScalar {
  const type = node.fields?.find((field) => field.name.value === 'id')?.type
  const name =
    type?.kind === Kind.NON_NULL_TYPE && type.type.kind === Kind.NAMED_TYPE ? type.type.name.value : undefined
  const idScalar = idScalars.find((scalar) => scalar === name)
  if (!idScalar) throw refuse(`${node.name.value} needs an id of type ID!, String!, Bytes! or Int8!.`)
  return idScalar
}

function parseField(node: FieldDefinitionNode, context: { readonly entity: string; readonly types: Types }): Field {
  const { types } = context
  const name = node.name.value
  const path = `${context.entity}.${name}`
  if (node.arguments?.length) throw refuse(`Arguments are not supported, but ${path} has some.`)
  if (name.length > identifierLengthMax) throw refuse(`The field name ${path} is longer than ${identifierLengthMax}.`)
  const { typeName, ...shape } = parseShape(node.type, path)
  const common = { name, description: node.description?.value, ...shape }
  const from = parseDerivedFrom(node, path)
  if (from === undefined) return { ...common, kind: 'stored', type: parseStoredType(typeName, { path, types }) }
  if (!types.objects.has(typeName)) throw refuse(`${path} is derived, but ${typeName} is not an entity.`)
  return { ...common, kind: 'derived', entity: typeName, from }
}

function parseShape(type: TypeNode, path: string) {
  const isRequired = type.kind === Kind.NON_NULL_TYPE
  const inner = isRequired ? type.type : type
  const isList = inner.kind === Kind.LIST_TYPE
  const element = isList ? inner.type : inner
  const areElementsRequired = element.kind === Kind.NON_NULL_TYPE
  const named = areElementsRequired ? element.type : element
  if (named.kind !== Kind.NAMED_TYPE) throw refuse(`${path} is a list of lists, which is not supported.`)
  return { isList, isRequired, areElementsRequired, typeName: named.name.value }
}

function parseDerivedFrom(node: FieldDefinitionNode, path: string): string | undefined {
  for (const directive of node.directives ?? []) {
    if (directive.name.value !== 'derivedFrom') {
      throw refuse(`The directive @${directive.name.value} on ${path} is not supported.`)
    }
    const field = directive.arguments?.find((argument) => argument.name.value === 'field')?.value
    if (field?.kind !== Kind.STRING) throw refuse(`@derivedFrom on ${path} needs field: "<name>".`)
    return field.value
  }
  return undefined
}

function parseStoredType(name: string, { path, types }: { readonly path: string; readonly types: Types }): StoredType {
  const scalar = scalars.find((candidate) => candidate === name) satisfies Scalar | undefined
  if (scalar) return { kind: 'scalar', name: scalar }
  const enumeration = types.enums.get(name)
  if (enumeration) return { kind: 'enum', name, values: (enumeration.values ?? []).map((value) => value.name.value) }
  const entity = types.objects.get(name)
  if (entity) return { kind: 'reference', name, id: getIdScalar(entity) }
  throw refuse(`The type ${name} of ${path} is unknown. Scalars are ${scalars.join(', ')}.`)
}

function refuse(message: string): SubgraphError {
  return new SubgraphError({ code: 'invalid_schema', message })
}

/** Throws if the source of a `@derivedFrom` is not a stored reference to the entity. */
function checkDerivedFields({ entities }: EntityModel): void {
  for (const entity of entities.values()) {
    for (const field of entity.fields) {
      if (field.kind !== 'derived') continue
      const back = entities.get(field.entity)?.fields.find((candidate) => candidate.name === field.from)
      if (back?.kind === 'stored' && back.type.kind === 'reference' && back.type.name === entity.name) continue
      throw refuse(
        `${entity.name}.${field.name} is derived from ${field.entity}.${field.from}, which is not a stored reference to ${entity.name}.`,
      )
    }
  }
}
