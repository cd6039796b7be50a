import { expect, test } from 'vitest'
import { parseOwner } from './parse-owner.ts'

const address = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'

test('default: addresses always, names where the service resolves them', () => {
  expect(parseOwner(address, { hasEns: false })).toEqual({ address })
  expect(parseOwner('name.eth', { hasEns: true })).toEqual({ name: 'name.eth' })
  expect(parseOwner('Ünïcode.🦊.eth', { hasEns: true })).toEqual({ name: 'Ünïcode.🦊.eth' })
  expect(parseOwner('name.eth', { hasEns: false })).toHaveProperty('fault')
})

test.each([
  '',
  'name',
  '.eth',
  'name.',
  'a..eth',
  'a b.eth',
  '<script>.eth',
  '../../etc.eth',
  'a\0b.eth',
  `${'a'.repeat(300)}.eth`,
  `0x${'1'.repeat(64)}`,
  'tsk_live_0123456789',
  '0x12',
])('error: %j is no owner', (text) => {
  expect(parseOwner(text, { hasEns: true })).toHaveProperty('fault')
})
