import { storedFieldsOf } from '../schema/entity-model.ts'
import { SubgraphError } from '../subgraph-error.ts'
import type { Block } from './block.ts'
import { encodeValue } from './encode-value.ts'
import { type Column, getColumn, type Layout, type Table } from './layout.ts'

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
  | { readonly block: number; readonly kind: 'merge' | 'replace'; readonly fields: EncodedFields }
  | { readonly block: number; readonly kind: 'remove' }

/** Operations by the text of the id, at most one per block, in the order of the blocks. */
export type TableChanges = ReadonlyMap<string, readonly Operation[]>

/** Validates and encodes all changes, and groups them by table, before anything is written. */
export function collectChanges(layout: Layout, blocks: readonly BlockChanges[]): ReadonlyMap<Table, TableChanges> {
  const collected = new Map<Table, Map<string, Operation[]>>()
  const encode = createEncoder()
  for (const { block, changes } of blocks) {
    for (const change of changes) {
      const table = layout.tables.get(change.entity)
      if (!table) throw refuse(change, `there is no entity ${change.entity}`)
      const id = encodeId(table, { change, encode })
      const next = encodeChange(table, { block: block.number, change, id, encode })
      const byId = getOrInsert(collected, table, () => new Map<string, Operation[]>())
      const operations = getOrInsert(byId, id, () => [])
      if (operations.at(-1)?.block !== block.number) operations.push(next)
      else operations.push(followWith(operations.pop() as Operation, next))
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

function followWith(before: Operation, next: Operation): Operation {
  if (next.kind === 'remove') return next
  if (before.kind === 'remove') return { ...next, kind: 'replace' }
  return { ...before, fields: mergeFields(before.fields, next.fields) }
}

/** Returns the values of `next`, with those of `before` where `next` has none. */
export function mergeFields(before: EncodedFields, next: EncodedFields): EncodedFields {
  return next.map((value, position) => (value === undefined ? before[position] : value))
}

type Encode = (column: Column, value: unknown) => ReturnType<typeof encodeValue>

/**
 * Creates an encoder that keeps the last value of each column: most values of consecutive changes are equal, and encoding is
 * a large part of the work of a backfill.
 */
function createEncoder(): Encode {
  const last = new Map<Column, { readonly value: unknown; readonly encoded: ReturnType<typeof encodeValue> }>()
  return (column, value) => {
    const known = last.get(column)
    if (known && known.value === value) return known.encoded
    const encoded = encodeValue(column.field, value)
    last.set(column, { value, encoded })
    return encoded
  }
}

type Change = { readonly change: EntityChange; readonly encode: Encode }

function encodeId(table: Table, { change, encode }: Change): string {
  const encoded = encode(getColumn(table, 'id'), change.id)
  if ('fault' in encoded) throw refuse(change, `the id ${encoded.fault}`)
  return encoded.text ?? ''
}

function encodeChange(
  table: Table,
  { block, change, id, encode }: Change & { readonly block: number; readonly id: string },
): Operation {
  if (change.set === null) return { block, kind: 'remove' }
  if (typeof change.set !== 'object') throw refuse(change, 'set must be an object, or null to remove')
  const fields = new Array<string | null | undefined>(table.columns.size).fill(undefined)
  for (const name of Object.keys(change.set)) {
    const value = change.set[name]
    if (value === undefined) continue
    const column = table.columns.get(name)
    if (!column) throw refuse(change, describeUnknown(table, name))
    const encoded = encode(column, value)
    if ('fault' in encoded) throw refuse(change, `${name} ${encoded.fault}, not ${preview(value)}`)
    fields[column.position] = encoded.text
  }
  const { position } = getColumn(table, 'id')
  if ((fields[position] ?? id) !== id) throw refuse(change, `set has another id, ${preview(change.set['id'])}`)
  fields[position] = id
  return { block, kind: 'merge', fields }
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
