import type { Entity, EntityModel, Field } from './entity-model.ts'
import { getEntity } from './entity-model.ts'

/** Value of `X_orderBy`: a field of the entity, or a field of the target of a single reference. */
export type Ordering = { readonly name: string; readonly field: Field; readonly childField?: Field | undefined }

export function orderingsOf(model: EntityModel, entity: Entity): readonly Ordering[] {
  return entity.fields.flatMap((field) => [{ name: field.name, field }, ...childOrderings(model, field)])
}

function childOrderings(model: EntityModel, field: Field): readonly Ordering[] {
  const target = field.kind === 'derived' ? field.entity : field.type.kind === 'reference' ? field.type.name : undefined
  if (target === undefined || field.isList) return []
  return getEntity(model, target)
    .fields.filter((child) => child.kind === 'stored' && !child.isList && child.type.kind !== 'reference')
    .map((childField) => ({ name: `${field.name}__${childField.name}`, field, childField }))
}
