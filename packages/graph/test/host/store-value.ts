import { bigIntOfBytes, bigIntToBytes } from './big-int-bytes.ts'
import type { Heap } from './heap.ts'
import { MappingError } from './mapping-error.ts'
import { typeId } from './type-id.ts'

/** Value of an entity's field. `Bytes` are 0x hex. */
export type StoreValue =
  | { readonly type: 'String' | 'Bytes'; readonly value: string }
  | { readonly type: 'Int'; readonly value: number }
  | { readonly type: 'Boolean'; readonly value: boolean }
  | { readonly type: 'BigInt'; readonly value: bigint }
  | { readonly type: 'List'; readonly value: readonly StoreValue[] }
  | { readonly type: 'Null'; readonly value: null }

export type Entity = ReadonlyMap<string, StoreValue>

/** Kinds of graph-ts's `ValueKind`. The protocol's schema has no decimals, no `Int8` and no timestamps. */
const kinds = { string: 0, int: 1, bool: 3, array: 4, null: 5, bytes: 6, bigInt: 7 } as const

function readStoreValue(heap: Heap, address: number): StoreValue {
  const { kind, payload } = heap.readEnum(address)
  switch (kind) {
    case kinds.string:
      return { type: 'String', value: heap.readString(payload) }
    case kinds.int:
      return { type: 'Int', value: payload | 0 }
    case kinds.bool:
      return { type: 'Boolean', value: payload !== 0 }
    case kinds.array:
      return { type: 'List', value: heap.readArray(payload).map((item) => readStoreValue(heap, item)) }
    case kinds.null:
      return { type: 'Null', value: null }
    case kinds.bytes:
      return { type: 'Bytes', value: `0x${Buffer.from(heap.readBytes(payload)).toString('hex')}` }
    case kinds.bigInt:
      return { type: 'BigInt', value: bigIntOfBytes(heap.readBytes(payload)) }
    default:
      throw new MappingError(`A value has the kind ${kind}, which no field of the schema has`)
  }
}

function writeStoreValue(heap: Heap, { type, value }: StoreValue): number {
  const write = (kind: number, payload: number) => heap.newEnum(typeId.storeValue, kind, payload)
  switch (type) {
    case 'String':
      return write(kinds.string, heap.newString(value))
    case 'Int':
      return write(kinds.int, value)
    case 'Boolean':
      return write(kinds.bool, value ? 1 : 0)
    case 'List': {
      const items = value.map((item) => writeStoreValue(heap, item))
      return write(kinds.array, heap.newArray(typeId.arrayStoreValue, items))
    }
    case 'Null':
      return write(kinds.null, 0)
    case 'Bytes':
      return write(kinds.bytes, heap.newBytes(Buffer.from(value.slice(2), 'hex')))
    case 'BigInt':
      return write(kinds.bigInt, heap.newBytes(bigIntToBytes(value)))
  }
}

/** Reads a `TypedMap<string, Value>`. */
export function readEntity(heap: Heap, address: number): Entity {
  const entries = heap.readArray(heap.readField(address, 0))
  return new Map(
    entries.map((entry) => [heap.readString(heap.readField(entry, 0)), readStoreValue(heap, heap.readField(entry, 1))]),
  )
}

export function writeEntity(heap: Heap, entity: Entity): number {
  const entries = [...entity].map(([field, value]) =>
    heap.newRecord(typeId.typedMapEntryStringStoreValue, [heap.newString(field), writeStoreValue(heap, value)]),
  )
  const list = heap.newArray(typeId.arrayTypedMapEntryStringStoreValue, entries)
  return heap.newRecord(typeId.typedMapStringStoreValue, [list])
}
