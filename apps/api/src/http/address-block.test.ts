import { expect, test } from 'vitest'
import { addressBlock } from './address-block.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['2001:db8::2:3:4:5:6', '2001:db8:0:2'],
  ['::', '0:0:0:0'],
  ['::1', '0:0:0:0'],
  ['1::', '1:0:0:0'],
  ['::2:3:4:5:6:7:8', '0:2:3:4'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
])('default: %s counts as %s', (address, block) => {
  expect(addressBlock(address)).toBe(block)
})

test('behavior: addresses of one /64 are one, of two /64s are two', () => {
  expect(addressBlock('2001:db8:1:2::1')).toBe(addressBlock('2001:db8:1:2:ffff::1'))
  expect(addressBlock('2001:db8:1:2::1')).not.toBe(addressBlock('2001:db8:1:3::1'))
})
