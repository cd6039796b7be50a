import { expect, test } from 'vitest'
import { crc32c } from './crc32c.ts'

// RFC 3720, appendix B.4, and the check value of the CRC catalogue.
test.each([
  ['nothing', Buffer.alloc(0), 0],
  ['32 zero bytes', Buffer.alloc(32), 0x8a9136aa],
  ['32 bytes of 0xff', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['32 rising bytes', Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 0x46dd794e],
  ['32 falling bytes', Buffer.from(Array.from({ length: 32 }, (_, index) => 31 - index)), 0x113fdb5c],
  ['123456789', Buffer.from('123456789'), 0xe3069283],
])('default: computes the published value of %s', (_, bytes, expected) => {
  expect(crc32c(bytes)).toBe(expected)
})
