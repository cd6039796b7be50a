import { storedFieldsOf } from '../schema/entity-model.ts'
import { SubgraphError } from '../subgraph-error.ts'
import type { Block } from './block.ts'
import { encodeValue } from './encode-value.ts'
import { getColumn, type Layout, type Table } from './layout.ts'

/**
 * Change of one entity in a block. `set` has values in API form. Fields that are not given keep their value, or are null in
 * a new entity. `null` removes the entity.
 */
export type EntityChange = {
  readonly entity: string
  readonly id: string
  readonly set: Readonly<Record<string, unknown>> | null
}

export type BlockChanges = { readonly block: Block; readonly changes: readonly EntityChange[] }

/** Values of an entity by column position, as PostgreSQL's texts. Undefined if not given. */
export type EncodedFields = readonly (string | null | undefined)[]

/** Combined changes of one entity in one block. `replace` is a set after a removal: it inherits nothing. */
export type Operation =
  | { readonly kind: 'merge' | 'replace'; readonly fields: EncodedFields }
  | { readonly kind: 'remove' }

/** Operations by the text of the id, then by block number in ascending order. */
export type TableChanges = ReadonlyMap<string, ReadonlyMap<number, Operation>>

/** Validates and encodes all changes, and groups them by table, before anything is written. */
export function collectChanges(layout: Layout, blocks: readonly BlockChanges[]): ReadonlyMap<Table, TableChanges> {
  const collected = new Map<Table, Map<string, Map<number, Operation>>>()
  for (const { block, changes } of blocks) {
    for (const change of changes) {
      const table = layout.tables.get(change.entity)
      if (!table) throw refuse(change, `there is no entity ${change.entity}`)
      const id = encodeId(table, change)
      const byId = getOrInsert(collected, table, () => new Map<string, Map<number, Operation>>())
      const byBlock = getOrInsert(byId, id, () => new Map<number, Operation>())
      byBlock.set(block.number, followWith(byBlock.get(block.number), encodeChange(table, { change, id })))
    }
  }
  return collected
}

function getOrInsert<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const created = create()
  map.set(key, created)
  return created
}

function followWith(before: Operation | undefined, next: Operation): Operation {
  if (!before || next.kind === 'remove') return next
  if (before.kind === 'remove') return { kind: 'replace', fields: next.fields }
  return { kind: before.kind, fields: mergeFields(before.fields, next.fields) }
}

/** Returns the values of `next`, with those of `before` where `next` has none. */
export function mergeFields(before: EncodedFields, next: EncodedFields): EncodedFields {
  return next.map((value, position) => (value === undefined ? before[position] : value))
}

function encodeId(table: Table, change: EntityChange): string {
  const encoded = encodeValue(getColumn(table, 'id').field, change.id)
  if ('fault' in encoded) throw refuse(change, `the id ${encoded.fault}`)
  return encoded.text ?? ''
}

function encodeChange(table: Table, { change, id }: { readonly change: EntityChange; readonly id: string }): Operation {
  if (change.set === null) return { kind: 'remove' }
  if (typeof change.set !== 'object') throw refuse(change, 'set must be an object, or null to remove')
  const fields = new Array<string | null | undefined>(table.columns.size).fill(undefined)
  for (const name of Object.keys(change.set)) {
    const value = change.set[name]
    if (value === undefined) continue
    const column = table.columns.get(name)
    if (!column) throw refuse(change, describeUnknown(table, name))
    const encoded = encodeValue(column.field, value)
    if ('fault' in encoded) throw refuse(change, `${name} ${encoded.fault}, not ${preview(value)}`)
    fields[column.position] = encoded.text
  }
  const { position } = getColumn(table, 'id')
  if ((fields[position] ?? id) !== id) throw refuse(change, `set has another id, ${preview(change.set['id'])}`)
  fields[position] = id
  return { kind: 'merge', fields }
}

function describeUnknown({ entity }: Table, name: string): string {
  const isDerived = entity.fields.some((field) => field.name === name)
  if (isDerived) return `${name} is derived and cannot be set`
  const known = storedFieldsOf(entity).map((field) => field.name)
  return `${entity.name} has no field ${name} (it has ${known.join(', ')})`
}

function preview(value: unknown): string {
  const text = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** Creates the error for an invalid change. */
export function refuse({ entity, id }: Pick<EntityChange, 'entity' | 'id'>, fault: string): SubgraphError {
  return new SubgraphError({ code: 'invalid_change', message: `Cannot change ${entity} ${preview(id)}: ${fault}.` })
}
