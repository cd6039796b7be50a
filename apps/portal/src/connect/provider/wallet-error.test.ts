import { expect, test } from 'vitest'
import { explainWalletError } from '../explain-wallet-error.ts'
import { findWalletFault, WalletError } from './wallet-error.ts'

test.each([
  [{ code: 4001 }, 'rejected'],
  [{ code: 'ACTION_REJECTED' }, 'rejected'],
  [new Error('outer', { cause: { cause: { code: 4001 } } }), 'rejected'],
  [{ code: -32603, data: { originalError: { code: 4902 } } }, 'unknown_chain'],
  [{ code: -32002 }, 'busy'],
  [{ code: 4100 }, 'locked'],
  [{ code: 4900 }, 'disconnected'],
  [{ code: -32000, message: 'insufficient funds for gas * price + value' }, 'no_gas'],
  [new WalletError('no_answer', 'slow'), 'no_answer'],
  [{ code: 3, message: 'execution reverted' }, undefined],
  [new Error('constructor'), undefined],
  ['text', undefined],
  [null, undefined],
])('default: %j is %s', (error, fault) => {
  expect(findWalletFault(error)).toBe(fault)
})

test('behavior: an error that contains itself ends the search', () => {
  const error = { message: 'circular' } as { cause?: unknown }
  error.cause = error
  expect(findWalletFault(error)).toBeUndefined()
})

test('default: problems are explained with the next step', () => {
  expect(explainWalletError({ code: 4001 })).toMatchObject({ title: 'You declined in the wallet', isCalm: true })
  expect(explainWalletError({ code: -32002 }).text).toContain('answer its request')
  expect(explainWalletError(new WalletError('unknown_chain', 'Add Base.')).text).toBe('Add Base.')
})
