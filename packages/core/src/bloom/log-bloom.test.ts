import { expect, test } from 'vitest'
import { parseLogBloom } from './log-bloom.ts'

const address = `0x${'ab'.repeat(20)}`

/** Sets bits of an empty filter. */
function bloomWith(bits: readonly number[]): string {
  const bytes = new Uint8Array(256)
  for (const bit of bits) bytes[255 - (bit >> 3)] = (bytes[255 - (bit >> 3)] as number) | (1 << (bit & 7))
  return `0x${Buffer.from(bytes).toString('hex')}`
}

test('default: a filter contains a value only if all its bits are set', () => {
  // The tests of the subgraph compare with the filters of a real EVM.
  const bits = [1001, 1235, 1613]
  expect(parseLogBloom(bloomWith(bits))?.contains(address)).toBe(true)
  for (const left of bits) {
    expect(parseLogBloom(bloomWith(bits.filter((bit) => bit !== left)))?.contains(address)).toBe(false)
  }
})

test('behavior: an empty or a nearly full filter tells nothing', () => {
  const useful = (count: number) =>
    parseLogBloom(bloomWith(Array.from({ length: count }, (_, bit) => bit * 2)))?.isUseful
  expect([useful(0), useful(3), useful(512), useful(513)]).toEqual([false, true, true, false])
})

test.each([undefined, null, '0x', `0x${'0'.repeat(510)}`, 'x'.repeat(514), 7])('error: %j is no filter', (value) => {
  expect(parseLogBloom(value)).toBeUndefined()
})
