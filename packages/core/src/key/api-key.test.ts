import { randomBytes } from 'node:crypto'
import { crc32 as zlibCrc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { createApiKey, isApiKey } from './api-key.ts'
import { crc32 } from './crc32.ts'

test('default: the check value of CRC-32, and zlib agrees', () => {
  expect(crc32('123456789')).toBe(0xcbf43926)
  expect(crc32('')).toBe(0)
  for (let round = 0; round < 100; round++) {
    const text = randomBytes(30).toString('base64url')
    expect(crc32(text)).toBe(zlibCrc32(text))
  }
})

test('default: a key has the documented format and contains no word break', () => {
  const key = createApiKey({ kind: 'live', randomBytes })
  expect(key).toMatch(/^tsk_live_[0-9A-Za-z]{36}$/)
  expect(createApiKey({ kind: 'test', randomBytes })).toMatch(/^tsk_test_\w{36}$/)
  expect(isApiKey(key)).toBe(true)
})

test('behavior: the same bytes give the same key, and bytes from 248 on are drawn again', () => {
  const batches = [new Uint8Array(30).fill(255), new Uint8Array(30).fill(0)]
  const key = createApiKey({ kind: 'test', randomBytes: () => batches.shift() ?? new Uint8Array(30) })
  expect(key.slice(0, 39)).toBe(`tsk_test_${'0'.repeat(30)}`)
  expect(isApiKey(key)).toBe(true)
})

test('error: the checksum detects a changed, swapped, added or missing character', () => {
  const key = createApiKey({ kind: 'live', randomBytes: (length) => Uint8Array.from({ length }, (_, i) => i * 7) })
  for (let index = 9; index < key.length; index++) {
    const other = key[index] === 'a' ? 'b' : 'a'
    expect(isApiKey(key.slice(0, index) + other + key.slice(index + 1))).toBe(false)
  }
  expect(isApiKey(`${key}a`)).toBe(false)
  expect(isApiKey(key.slice(0, -1))).toBe(false)
  expect(isApiKey(` ${key}`)).toBe(false)
  expect(isApiKey(`${key}\n`)).toBe(false)
  expect(isApiKey(key.replace('live', 'prod'))).toBe(false)
  expect(isApiKey('')).toBe(false)
})
