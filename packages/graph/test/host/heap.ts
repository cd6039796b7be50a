import { MappingError } from './mapping-error.ts'
import { type TypeId, typeId } from './type-id.ts'
import type { WasmMemory } from './web-assembly.ts'

/** Functions and memory that graph-node requires of a module. */
export type ModuleExports = {
  readonly memory: WasmMemory
  readonly allocate: (size: number) => number
  readonly id_of_type: (id: number) => number
}

/** Memory of an instance. Addresses are those of an object's content. Its header lies before it. 0 is null. */
export type Heap = {
  /** Writes an object with these bytes. */
  newBlob(id: TypeId, content: Uint8Array): number
  /** Writes an object whose fields are addresses or 32-bit numbers. */
  newRecord(id: TypeId, fields: readonly number[]): number
  newString(text: string): number
  newBytes(bytes: Uint8Array): number
  newArray(id: TypeId, addresses: readonly number[]): number
  newEnum(id: TypeId, kind: number, payload: number): number
  readString(address: number): string
  readBytes(address: number): Uint8Array
  readArray(address: number): readonly number[]
  readField(address: number, index: number): number
  /** Reads a value with a kind. The payload is a number or an address: the low half of 64 bits. */
  readEnum(address: number): { readonly kind: number; readonly payload: number }
}

/** mmInfo, gcInfo, gcInfo2, rtId and rtSize, 4 bytes each. */
const headerSize = 20
const arenaSize = 10_000

/** Creates the access to an instance's memory. It allocates as graph-node does: large blocks that it divides itself. */
export function createHeap(exports: ModuleExports, classIds: Map<TypeId, number>): Heap {
  const { memory } = exports
  // Kept, because a look at the memory's buffer is expensive. A memory that grows has another buffer.
  let bytes = Buffer.from(memory.buffer)
  let words = new Uint32Array(memory.buffer)
  let free = { start: 0, size: 0 }
  // Strings do not change and are never freed. Most are names of fields.
  const written = new Map<string, number>()
  const read = new Map<number, string>()

  const refresh = () => {
    if (bytes.length !== 0) return
    bytes = Buffer.from(memory.buffer)
    words = new Uint32Array(memory.buffer)
  }
  const classIdOf = (id: TypeId) => {
    const known = classIds.get(id) ?? exports.id_of_type(id)
    classIds.set(id, known)
    return known
  }
  const take = (size: number) => {
    if (size > free.size) {
      const granted = Math.max(size + 12, arenaSize)
      // A block of `allocate` begins after 4 bytes of header. With 12 more, an object's content is aligned to 16 bytes.
      free = { start: exports.allocate(granted) + 12, size: granted - 12 }
    }
    const { start } = free
    free.start += size
    free.size -= size
    return start
  }
  const newBlock = (id: TypeId, size: number) => {
    const classId = classIdOf(id)
    const padded = size + ((16 - ((headerSize + size) % 16)) % 16)
    const start = take(headerSize + padded)
    refresh()
    words[start / 4] = 16 + padded
    words[start / 4 + 3] = classId
    words[start / 4 + 4] = size
    return start + headerSize
  }
  const newBlob = (id: TypeId, content: Uint8Array) => {
    const address = newBlock(id, content.length)
    bytes.set(content, address)
    return address
  }
  const newRecord = (id: TypeId, fields: readonly number[]) => {
    const address = newBlock(id, 4 * fields.length)
    for (let index = 0; index < fields.length; index++) words[address / 4 + index] = fields[index]!
    return address
  }
  /** Asserts that an object can be read, as graph-node does. */
  const assertReadable = (address: number, size: number) => {
    if (address === 0) throw new MappingError('Tried to read an AssemblyScript value that is null')
    refresh()
    if (address + size > bytes.length) throw new MappingError('Heap access out of bounds')
  }
  const readField = (address: number, index: number) => {
    assertReadable(address, 4 * (index + 1))
    return words[address / 4 + index]!
  }
  return {
    newBlob,
    newRecord,
    readField,
    newString: (text) => {
      const address = written.get(text) ?? newBlob(typeId.string, Buffer.from(text, 'utf16le'))
      written.set(text, address)
      return address
    },
    newBytes: (content) => {
      const buffer = newBlob(typeId.arrayBuffer, content)
      return newRecord(typeId.uint8Array, [buffer, buffer, content.length])
    },
    newArray: (id, addresses) => {
      const buffer = newRecord(typeId.arrayBuffer, addresses)
      return newRecord(id, [buffer, buffer, 4 * addresses.length, addresses.length])
    },
    newEnum: (id, kind, payload) => newRecord(id, [kind, 0, payload >>> 0, payload < 0 ? 0xffff_ffff : 0]),
    readString: (address) => {
      const known = read.get(address)
      if (known !== undefined) return known
      const size = readField(address - 4, 0)
      assertReadable(address, size)
      const text = bytes.toString('utf16le', address, address + size)
      read.set(address, text)
      return text
    },
    readBytes: (address) => {
      const [start, size] = [readField(address, 1), readField(address, 2)]
      assertReadable(start, size)
      // A copy, because the memory changes.
      return Uint8Array.prototype.slice.call(bytes, start, start + size)
    },
    readArray: (address) => {
      const [start, length] = [readField(address, 1), readField(address, 3)]
      return Array.from({ length }, (_, index) => readField(start, index))
    },
    readEnum: (address) => ({ kind: readField(address, 0), payload: readField(address, 2) }),
  }
}
