import type { KeyView } from '@tallystick/core'
import { expect, test } from 'vitest'
import { findChanges, textsOf } from './key-form.ts'

const key: KeyView = {
  ...{ id: 'key_1', name: 'Wallet', kind: 'live', scopes: ['notes', 'rate'], rpm: 600, burst: null },
  ...{ quotaPerDay: 10, quotaPerMonth: null, allow: ['10.0.0.0/8', '::1'], status: 'active', revision: '7' },
  ...{ createdAt: '2026-11-01T00:00:00Z', expiresAt: '2027-01-01T12:30:00Z', revokedAt: null, lastUsedAt: null },
}
const changesOf = (texts: object) => findChanges(key, { ...textsOf(key), ...texts })

test('default: only what was changed is sent', () => {
  expect(changesOf({ name: 'Purse' })).toEqual({ name: 'Purse' })
  expect(changesOf({ rpm: '', burst: ' 50 ', quotaPerDay: '20' })).toEqual({ rpm: null, burst: 50, quotaPerDay: 20 })
  expect(changesOf({ scopes: ['notes'] })).toEqual({ scopes: ['notes'] })
  expect(changesOf({ allow: '10.0.0.0/8, 10.1.2.3\n' })).toEqual({ allow: ['10.0.0.0/8', '10.1.2.3'] })
  expect(changesOf({ allow: ' \n' })).toEqual({ allow: null })
  expect(changesOf({ expires: '' })).toEqual({ expiresAt: null })
  expect(changesOf({ expires: '2027-02-01' })).toEqual({ expiresAt: '2027-02-01T00:00:00Z' })
})

test('error: nothing changed, and limits that the service does not take', () => {
  expect(() => changesOf({})).toThrow('Nothing is changed yet.')
  expect(() => changesOf({ rpm: ' 600 ' })).toThrow('Nothing is changed yet.')
  expect(() => changesOf({ burst: '10001' })).toThrow('"10001" is not a whole number from 1 to 10000')
  expect(() => changesOf({ quotaPerDay: '1.5' })).toThrow('"1.5" is not a whole number')
})
