import { keccak_256 } from '@noble/hashes/sha3'
import { hexToBytes } from '@noble/hashes/utils'

/** Filter of a block header that contains the addresses and topics of the block's logs, and others by chance. */
export type LogBloom = {
  /**
   * Whether the filter tells anything. Some chains leave it empty, and a very full block sets so many bits that it contains
   * most values.
   */
  readonly isUseful: boolean
  /** Returns whether the filter contains an address or topic. */
  contains(value: string): boolean
}

const bytesOfBloom = 256
// With more bits set, every hundredth value or more is contained by chance.
const usefulBitsMax = 0.25 * 8 * bytesOfBloom
// A follower asks for the same few addresses and topics in every block.
const positions = new Map<string, readonly number[]>()
const positionsMax = 1_000

/** Parses the `logsBloom` of a header. Returns undefined if it is not one. */
export function parseLogBloom(value: unknown): LogBloom | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{512}$/i.test(value)) return undefined
  const bytes = hexToBytes(value.slice(2))
  let bits = 0
  for (const byte of bytes) for (let rest = byte; rest > 0; rest &= rest - 1) bits += 1
  return {
    isUseful: bits > 0 && bits <= usefulBitsMax,
    contains: (asked) =>
      bitsOf(asked).every((bit) => (((bytes[bytesOfBloom - 1 - (bit >> 3)] as number) >> (bit & 7)) & 1) === 1),
  }
}

/** Returns the three bits of a value (Yellow Paper, 4.3.1): the low 11 bits of each of the first three pairs of its hash. */
function bitsOf(value: string): readonly number[] {
  const key = value.toLowerCase()
  const known = positions.get(key)
  if (known) return known
  const hash = keccak_256(hexToBytes(key.slice(2)))
  const bits = [0, 2, 4].map((at) => (((hash[at] as number) << 8) | (hash[at + 1] as number)) & 2047)
  if (positions.size >= positionsMax) positions.clear()
  positions.set(key, bits)
  return bits
}
