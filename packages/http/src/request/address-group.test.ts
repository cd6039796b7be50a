import { expect, test } from 'vitest'
import { groupOfAddress } from './address-group.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1::', '1:0:0:0::/64'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ['1:2:3:4:5:6:192.0.2.33', '1:2:3:4::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
  ['', ''],
])('behavior: %s is counted as %s', (address, group) => {
  expect(groupOfAddress(address)).toBe(group)
})

test('behavior: addresses of one /64 share a group, of two /64s do not', () => {
  expect(groupOfAddress('2001:db8:1:2::1')).toBe(groupOfAddress('2001:db8:1:2:ffff::1'))
  expect(groupOfAddress('2001:db8:1:2::1')).not.toBe(groupOfAddress('2001:db8:1:3::1'))
})
