export const scalars = ['ID', 'String', 'Bytes', 'BigInt', 'Int', 'Int8', 'BigDecimal', 'Timestamp', 'Boolean'] as const
export type Scalar = (typeof scalars)[number]

export const idScalars = ['ID', 'String', 'Bytes', 'Int8'] as const
export type IdScalar = (typeof idScalars)[number]

export type StoredType =
  | { readonly kind: 'scalar'; readonly name: Scalar }
  | { readonly kind: 'enum'; readonly name: string; readonly values: readonly string[] }
  | { readonly kind: 'reference'; readonly name: string; readonly id: IdScalar }

type FieldShape = {
  readonly name: string
  readonly isList: boolean
  readonly isRequired: boolean
  readonly areElementsRequired: boolean
  readonly description: string | undefined
}

/** Field with its own column. */
export type StoredField = FieldShape & { readonly kind: 'stored'; readonly type: StoredType }

/** Field that is the inverse of the reference `from` of another entity. */
type DerivedField = FieldShape & { readonly kind: 'derived'; readonly entity: string; readonly from: string }

export type Field = StoredField | DerivedField

export type Entity = {
  readonly name: string
  readonly description: string | undefined
  readonly idScalar: IdScalar
  /** In the order of the schema, `id` included. */
  readonly fields: readonly Field[]
}

type Enumeration = { readonly name: string; readonly values: readonly string[] }

export type EntityModel = {
  readonly entities: ReadonlyMap<string, Entity>
  readonly enums: ReadonlyMap<string, Enumeration>
}

/** Returns the scalar that a value is stored as: an enum as its name, a reference as the id of its target. */
export function storageScalar(type: StoredType): Scalar {
  if (type.kind === 'enum') return 'String'
  return type.kind === 'reference' ? type.id : type.name
}

/** Returns the name of the entity that a reference or a derived field points at. */
export function targetNameOf(field: Field): string {
  return field.kind === 'derived' ? field.entity : field.type.name
}

export function storedFieldsOf(entity: Entity): readonly StoredField[] {
  return entity.fields.filter((field) => field.kind === 'stored')
}

export function getEntity(model: EntityModel, name: string): Entity {
  const entity = model.entities.get(name)
  if (!entity) throw new Error(`The model has no entity ${name}.`)
  return entity
}
