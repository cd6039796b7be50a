import type { EntitySchema, EntityType } from './entity-schema.ts'
import { MappingError } from './mapping-error.ts'
import type { Entity, StoreValue } from './store-value.ts'

/** Entities by name and id. `beginBlock` and `endBlock` enclose the handlers of a block. */
export type EntityStore = {
  get(name: string, id: string): Entity | undefined
  /** Returns the entity if the present block created or changed it. */
  getInBlock(name: string, id: string): Entity | undefined
  loadRelated(name: string, id: string, field: string): readonly Entity[]
  set(name: string, id: string, data: Entity): void
  remove(name: string, id: string): void
  discardBlock(): void
  /** Keeps the changes of the block and returns them. */
  commitBlock(): readonly StoreChange[]
  all(): readonly StoreChange[]
}

export type StoreChange = { readonly type: EntityType; readonly id: string; readonly entity: Entity | undefined }

/** Creates an empty store that follows the rules of graph-node's entity cache. */
export function createEntityStore(schema: EntitySchema): EntityStore {
  const stored = new Map<string, StoreChange>()
  const changed = new Map<string, StoreChange>()
  const keyOf = (name: string, id: string) => {
    const type = schema.typeOf(name)
    const idType = type.fields.get('id')!.type
    if (idType === 'Bytes' && !/^(0x)?([0-9a-f]{2})*$/i.test(id)) {
      throw new MappingError(`The id ${id} of ${name} is not hex`)
    }
    const normalized = idType === 'Bytes' ? `0x${id.replace(/^0x/, '').toLowerCase()}` : id
    return { type, id: normalized, key: `${name} ${normalized}` }
  }
  const find = (key: string) => (changed.has(key) ? changed.get(key) : stored.get(key))?.entity

  const set: EntityStore['set'] = (name, id, data) => {
    const at = keyOf(name, id)
    const expected: StoreValue =
      at.type.fields.get('id')!.type === 'Bytes' ? { type: 'Bytes', value: at.id } : { type: 'String', value: at.id }
    const given = data.get('id') ?? expected
    if (given.type !== expected.type || given.value !== expected.value) {
      throw new MappingError(`The id ${String(given.value)} of ${name} conflicts with the id ${id} of store.set`)
    }
    // Fields that are not given keep their value, and null removes a value.
    const merged = new Map([...(find(at.key) ?? []), ...data, ['id', expected] as const])
    for (const [field, value] of merged) if (value.type === 'Null' && at.type.fields.has(field)) merged.delete(field)
    schema.validate(at.type, merged)
    changed.set(at.key, { type: at.type, id: at.id, entity: merged })
  }
  const loadRelated: EntityStore['loadRelated'] = (name, id, field) => {
    const at = keyOf(name, id)
    const derived = at.type.fields.get(field)
    if (!derived?.derivedFrom) throw new MappingError(`The field ${field} of ${name} is not derived`)
    const { derivedFrom, type } = derived
    const visible = new Map([...stored, ...changed])
    return [...visible.values()].flatMap((row) =>
      row.type.name === type && row.entity?.get(derivedFrom)?.value === at.id ? [row.entity] : [],
    )
  }
  return {
    set,
    loadRelated,
    get: (name, id) => find(keyOf(name, id).key),
    getInBlock: (name, id) => changed.get(keyOf(name, id).key)?.entity,
    remove: (name, id) => {
      const at = keyOf(name, id)
      changed.set(at.key, { type: at.type, id: at.id, entity: undefined })
    },
    discardBlock: () => changed.clear(),
    commitBlock: () => {
      const changes = [...changed.values()]
      for (const [key, change] of changed) {
        if (change.entity) stored.set(key, change)
        else stored.delete(key)
      }
      changed.clear()
      return changes
    },
    all: () => [...stored.values()],
  }
}
