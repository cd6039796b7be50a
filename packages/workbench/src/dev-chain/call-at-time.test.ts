import { expect, test } from 'vitest'
import { replaceTimestamp } from './call-at-time.ts'

test('default: replaces each TIMESTAMP with SELFBALANCE and keeps the data of PUSH', () => {
  expect(replaceTimestamp('0x4242')).toBe('0x4747')
  expect(replaceTimestamp('0x604242')).toBe('0x604247')
  expect(replaceTimestamp(`0x7f${'42'.repeat(32)}42`)).toBe(`0x7f${'42'.repeat(32)}47`)
  expect(replaceTimestamp('0x5f42')).toBe('0x5f47')
  expect(replaceTimestamp('0x6142')).toBe('0x6142')
  expect(replaceTimestamp('0x')).toBe('0x')
})
