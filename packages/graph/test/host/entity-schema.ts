import { type ObjectTypeDefinitionNode, parse, type TypeNode } from 'graphql'
import { MappingError } from './mapping-error.ts'
import type { Entity, StoreValue } from './store-value.ts'

type Field = {
  readonly name: string
  readonly type: string
  readonly isList: boolean
  readonly isRequired: boolean
  /** Field of the other entity, for a field that is derived from it. */
  readonly derivedFrom: string | undefined
}

export type EntityType = { readonly name: string; readonly fields: ReadonlyMap<string, Field> }

export type EntitySchema = {
  /** Returns the type of an entity. Throws if the schema has none of that name. */
  typeOf(name: string): EntityType
  /** Throws if graph-node would refuse to store the entity. */
  validate(type: EntityType, entity: Entity): void
}

/** Reads the entities of a schema. A reference has the type of the other entity's id. */
export function parseEntitySchema(sdl: string): EntitySchema {
  const nodes = parse(sdl).definitions.filter((node) => node.kind === 'ObjectTypeDefinition')
  const types = new Map(nodes.map((node) => [node.name.value, { name: node.name.value, fields: fieldsOf(node) }]))
  const typeOf = (name: string) => {
    const type = types.get(name)
    if (!type) throw new MappingError(`The schema has no entity ${name}`)
    return type
  }
  const scalarOf = (type: string): string => {
    const referenced = types.get(type)
    if (referenced) return scalarOf(referenced.fields.get('id')!.type)
    return type === 'ID' ? 'String' : type
  }
  return {
    typeOf,
    validate: ({ name, fields }, entity) => {
      const label = `${name}[${entity.get('id')?.value}]`
      for (const field of entity.keys()) {
        if (!fields.has(field)) throw new MappingError(`Attempted to set the undefined field ${field} of ${label}`)
      }
      for (const field of fields.values()) {
        const value = entity.get(field.name)
        if (!value) {
          if (field.isRequired && !field.derivedFrom) {
            throw new MappingError(`${label} has no value for the required field ${field.name}`)
          }
          continue
        }
        if (field.derivedFrom) throw new MappingError(`${label}: the field ${field.name} is derived and cannot be set`)
        if (!isAssignable(value, { type: scalarOf(field.type), isList: field.isList })) {
          throw new MappingError(`${label}: the field ${field.name} cannot have the value of type ${value.type}`)
        }
      }
    },
  }
}

function isAssignable(
  value: StoreValue,
  { type, isList }: { readonly type: string; readonly isList: boolean },
): boolean {
  if (value.type === 'List') return isList && value.value.every((item) => isAssignable(item, { type, isList: false }))
  return !isList && value.type === type
}

function fieldsOf(node: ObjectTypeDefinitionNode): ReadonlyMap<string, Field> {
  return new Map(
    (node.fields ?? []).map((field) => {
      const derived = field.directives?.find(({ name }) => name.value === 'derivedFrom')?.arguments?.[0]?.value
      const derivedFrom = derived?.kind === 'StringValue' ? derived.value : undefined
      return [field.name.value, { name: field.name.value, derivedFrom, ...shapeOf(field.type) }]
    }),
  )
}

function shapeOf(type: TypeNode): Pick<Field, 'type' | 'isList' | 'isRequired'> {
  if (type.kind === 'NonNullType') return { ...shapeOf(type.type), isRequired: true }
  if (type.kind === 'ListType') return { ...shapeOf(type.type), isList: true, isRequired: false }
  return { type: type.name.value, isList: false, isRequired: false }
}
