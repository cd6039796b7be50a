import { expect, test } from 'vitest'
import { upstreamError } from '../chain-subgraph.ts'
import { transportError } from './transport-error.ts'

const thrown = (code: string, phase: 'headers' | 'body' = 'headers') =>
  transportError(Object.assign(new Error('connect to 10.0.0.1 with key abc'), { code }), { phase, answerBytesMax: 9 })

// Codes that the tests with real servers cannot cause on one machine.
test.each([
  ['EHOSTUNREACH', 'refused'],
  ['ENETUNREACH', 'refused'],
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
  ['EPROTO', 'tls'],
  ['UND_ERR_CONNECT_TIMEOUT', 'slow_headers'],
  ['ETIMEDOUT', 'slow_headers'],
  ['EPIPE', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
  ['a code with spaces and a key', 'reset'],
])('error: %s is %s, without the original message', (code, failure) => {
  const error = thrown(code)
  expect(error.details).toEqual({ failure })
  expect(error.message).not.toMatch(/10\.0\.0\.1|abc|spaces/)
  expect(error.cause).toBeUndefined()
})

test('behavior: during the body a close is a truncation and a timeout a slow body', () => {
  expect(thrown('UND_ERR_SOCKET', 'body').details).toEqual({ failure: 'truncated' })
  expect(thrown('ETIMEDOUT', 'body').details).toEqual({ failure: 'slow_body' })
  expect(thrown('ECONNRESET', 'body').details).toEqual({ failure: 'reset' })
})

test.each([undefined, null, 'text', { code: 5 }])('error: a thrown %j is a lost connection', (value) => {
  expect(transportError(value, { phase: 'headers', answerBytesMax: 9 }).details).toEqual({ failure: 'reset' })
})

test('behavior: returns a TallystickError unchanged', () => {
  const ours = upstreamError({ failure: 'overloaded', message: 'x' })
  expect(transportError(ours, { phase: 'headers', answerBytesMax: 9 })).toBe(ours)
})
