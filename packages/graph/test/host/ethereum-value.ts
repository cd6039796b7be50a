import type { AbiParameter } from 'viem'
import { bigIntOfBytes, bigIntToBytes } from './big-int-bytes.ts'
import type { Heap } from './heap.ts'
import { MappingError } from './mapping-error.ts'
import { typeId } from './type-id.ts'

/** Kinds of graph-ts's `ethereum.ValueKind`. */
const kinds = {
  address: 0,
  fixedBytes: 1,
  bytes: 2,
  int: 3,
  uint: 4,
  bool: 5,
  string: 6,
  fixedArray: 7,
  array: 8,
  tuple: 9,
} as const

/** Writes a decoded value as an `ethereum.Value`. */
export function writeEthereumValue(heap: Heap, parameter: AbiParameter, value: unknown): number {
  const write = (kind: number, payload: number) => heap.newEnum(typeId.ethereumValue, kind, payload)
  const { type } = parameter
  const list = type.endsWith(']') ? /^(.*)\[(\d*)\]$/.exec(type) : null
  if (list) {
    const item = { ...parameter, type: list[1]! }
    const items = (value as readonly unknown[]).map((one) => writeEthereumValue(heap, item, one))
    return write(list[2] ? kinds.fixedArray : kinds.array, heap.newArray(typeId.arrayEthereumValue, items))
  }
  if (type === 'address') return write(kinds.address, heap.newBytes(bytesOfHex(value as string)))
  if (type === 'bool') return write(kinds.bool, value ? 1 : 0)
  if (type === 'string') return write(kinds.string, heap.newString(value as string))
  if (type.startsWith('bytes')) {
    return write(type === 'bytes' ? kinds.bytes : kinds.fixedBytes, heap.newBytes(bytesOfHex(value as string)))
  }
  if (type.startsWith('uint')) return write(kinds.uint, heap.newBytes(bigIntToBytes(BigInt(value as bigint))))
  if (type.startsWith('int')) return write(kinds.int, heap.newBytes(bigIntToBytes(BigInt(value as bigint))))
  throw new Error(`The test host does not write values of the type ${type}`)
}

/** Reads an `ethereum.Value` that a mapping passes to a call. */
export function readEthereumValue(heap: Heap, address: number): unknown {
  const { kind, payload } = heap.readEnum(address)
  switch (kind) {
    case kinds.address:
    case kinds.fixedBytes:
    case kinds.bytes:
      return `0x${Buffer.from(heap.readBytes(payload)).toString('hex')}`
    case kinds.int:
    case kinds.uint:
      return bigIntOfBytes(heap.readBytes(payload))
    case kinds.bool:
      return payload !== 0
    case kinds.string:
      return heap.readString(payload)
    case kinds.fixedArray:
    case kinds.array:
    case kinds.tuple:
      return heap.readArray(payload).map((item) => readEthereumValue(heap, item))
    default:
      throw new MappingError(`An Ethereum value has the unknown kind ${kind}`)
  }
}

export function bytesOfHex(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}
