import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeAuditEntry, listDescribedActions } from './describe-audit-entry.ts'

const id = 'key_5f0c2b7e91aa'
const describe = (action: string, subject: string, details: Record<string, unknown> = {}, actor = 'alice') =>
  describeAuditEntry({ actor, action, subject, details })

test('default: a new key has its name, the end of its secret, and what it may do', () => {
  const limits = { burst: null, quotaPerDay: null, quotaPerMonth: null, allow: null, expiresAt: null }
  const details = { name: 'wallet-app', secret: 'tsk_live_…ab12', scopes: ['notes', 'rate'], rpm: 600, ...limits }
  expect(describe('key.create', id, details)).toBe(
    'alice created the key wallet-app (tsk_live_…ab12) with notes and rate, 600 requests per minute',
  )
  const more = { ...details, rpm: null, quotaPerDay: 10_000, allow: ['10.0.0.0/8'], expiresAt: '1794783600' }
  expect(describe('key.create', id, more)).toBe(
    'alice created the key wallet-app (tsk_live_…ab12) with notes and rate, no limit per minute, 10,000 per day, ' +
      'only from 10.0.0.0/8, until 2026-11-15 23:00 UTC',
  )
})

test.each<[string, string, string, Record<string, unknown>]>([
  [`alice revoked the key Wallet (${id})`, 'key.revoke', id, { name: 'Wallet' }],
  [
    `alice gave the key Wallet (${id}) a new secret; the old one works for 1 day more`,
    'key.rotate',
    id,
    { name: 'Wallet', graceSeconds: 86_400 },
  ],
  [
    `alice changed the key Wallet (${id}): now named Purse, may use data, 60 requests per minute, no limit per day, from any address`,
    'key.update',
    id,
    { name: 'Wallet', newName: 'Purse', scopes: ['data'], rpm: 60, quotaPerDay: null, allow: null },
  ],
  [
    'alice set curve 2 of chain 324: 7 days 369 bps, 14 days 1,400 bps, from 2026-11-15 23:00 UTC, confirmed',
    'curve.set',
    'curve 2',
    { chainId: 324, points: { 7: 369, 14: 1400 }, confirmed: true, effectiveFrom: '1794783600' },
  ],
  ['alice approved proposal 3 of bob', 'curve.approve', 'proposal 3', { proposedBy: 'bob' }],
  [
    'alice added the webhook of w.example (hook_1) for notes and status events',
    'hook.add',
    'hook_1',
    { host: 'w.example', types: ['notes', 'status'], chainId: null },
  ],
  [
    'alice gave the webhook of w.example (hook_1) a new secret; the old one ended at once',
    'hook.rotate',
    'hook_1',
    { host: 'w.example', graceSeconds: 0 },
  ],
  [
    'alice sent event 12 to the webhook of w.example (hook_1) again, and got status 500',
    'hook.resend',
    'hook_1',
    { host: 'w.example', event: '12', isDelivered: false, status: 500 },
  ],
])('default: %s', (sentence, action, subject, details) => {
  expect(describe(action, subject, details)).toBe(sentence)
})

test('default: names the parts of the service that act by themselves', () => {
  expect(describe('admin.token', '203.0.113.9', { failures: 3 }, 'unknown')).toBe(
    'Somebody sent 3 wrong admin tokens from 203.0.113.9',
  )
  const disabled = describe('hook.disable', 'hook_1', { host: 'w.example', reason: '410 Gone' }, 'hooks')
  expect(disabled).toBe('The service switched the webhook of w.example (hook_1) off: 410 Gone')
  expect(describe('key.revoke', id, { name: 'Wallet' }, 'local:ann')).toBe(
    `The system user ann revoked the key Wallet (${id})`,
  )
})

test('behavior: an action of another release is readable, and no details break a sentence', () => {
  expect(describe('visitor.switch-off', 'portal')).toBe('alice recorded visitor switch off of portal')
  expect(describe('constructor', 'x')).toBe('alice recorded constructor of x')
  const details = fc.dictionary(
    fc.constantFrom('name', 'secret', 'scopes', 'rpm', 'points', 'graceSeconds', 'failures', 'types', 'expiresAt'),
    fc.jsonValue(),
  )
  const anything = fc.tuple(fc.constantFrom(...listDescribedActions()), details)
  fc.assert(
    fc.property(anything, ([action, given]) => {
      expect(describe(action, 'subject', given)).toMatch(/^alice \w/)
    }),
  )
})
