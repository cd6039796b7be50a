import { HttpRequestError, RpcRequestError, TimeoutError } from 'viem'
import { expect, test } from 'vitest'
import { isRevert } from './is-revert.ts'

const request = { url: 'https://rpc.example/key', body: { method: 'eth_call' } }

test.each([
  ['geth', { code: 3, message: 'execution reverted', data: '0x7e273289' }],
  ['a node without data', { code: -32000, message: 'execution reverted' }],
  ['a node that only has the data', { code: -32603, message: 'Internal error', data: `0x7e273289${'00'.repeat(32)}` }],
  ['OpenEthereum', { code: -32015, message: 'VM execution error.', data: 'Reverted 0x' }],
  ['an old contract', { code: -32000, message: 'invalid opcode: INVALID' }],
  ['a development node', { code: -32603, message: "VM Exception while processing transaction: reverted with 'x'" }],
  ['MetaMask', { code: -32603, message: 'Internal JSON-RPC error.', data: { code: 3, message: 'execution reverted' } }],
  ['a wrapped error', new Error('call failed', { cause: { code: 3, message: '' } })],
  ['viem over HTTP', new RpcRequestError({ ...request, error: { code: 3, message: 'execution reverted' } })],
])('default: %s reports a revert', (_, error) => expect(isRevert(error)).toBe(true))

test.each([
  ['a limit of the rate', { code: -32005, message: 'Too many requests' }],
  ['an internal error', { code: -32603, message: 'Too many requests' }],
  ['an internal error without a reason', { code: -32603, message: 'Internal JSON-RPC error.' }],
  ['status 429', new HttpRequestError({ ...request, status: 429, details: 'Too Many Requests' })],
  ['no answer', new TimeoutError(request)],
  ['a lost connection', new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })],
  ['a node that lags', { code: -32000, message: 'header not found' }],
  // viem calls every internal error of a node a revert.
  ['viem’s words', Object.assign(new HttpRequestError({ ...request, details: 'busy' }), { shortMessage: 'reverted' })],
  ['nothing', undefined],
])('error: %s is no revert', (_, error) => expect(isRevert(error)).toBe(false))

test('behavior: a circular error ends', () => {
  const error: { cause?: unknown } = {}
  error.cause = error
  expect(isRevert(error)).toBe(false)
})
