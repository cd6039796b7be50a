import { expect, test } from 'vitest'
import { describeReplicas } from './describe-replicas.ts'

test('default: a confirmed revocation is good news', () => {
  const replicas = { confirmed: ['a:8443', 'b:8443'], unconfirmed: [] }
  expect(describeReplicas({ name: 'Wallet', status: 'revoked' }, replicas)).toEqual({
    tone: 'good',
    title: 'The key of Wallet is revoked',
    text: 'Every replica knows it (2).',
  })
})

test('error: a replica that did not confirm is named', () => {
  const replicas = { confirmed: ['a:8443'], unconfirmed: [{ name: 'b:8443', secondsSinceSeen: 312 }] }
  const { tone, title, text } = describeReplicas({ name: 'Wallet', status: 'active' }, replicas)
  expect([tone, title]).toEqual(['warn', 'The key of Wallet has a new secret, but not every replica confirmed it'])
  expect(text).toContain('Not confirmed by 1 of 2: b:8443 (last seen 312 s ago).')
})
