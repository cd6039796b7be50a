import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from 'vitest'
import { assertOwnOrigin } from './own-origin.ts'

const check = (headers: IncomingHttpHeaders, isCertain = false) => assertOwnOrigin(headers, { isCertain })
const page = { origin: 'https://notes.example', 'sec-fetch-site': 'same-origin' }

test.each([
  ['a browser’s POST', { host: 'notes.example', ...page }, 'https://notes.example'],
  ['HTTP/2', { ':authority': 'notes.example', ...page }, 'https://notes.example'],
  ['upper case and the default port', { host: 'NOTES.example:443', ...page }, 'https://notes.example'],
  ['another port', { host: 'localhost:8443', origin: 'https://localhost:8443' }, 'https://localhost:8443'],
  ['IPv6', { host: '[::1]:8443', 'sec-fetch-site': 'same-origin' }, 'https://[::1]:8443'],
])('default: the origin of a request by %s is its own host', (_, headers, origin) => {
  expect(check(headers as IncomingHttpHeaders, true)).toBe(origin)
})

test.each([
  ['another origin', { ...page, origin: 'https://evil.example' }],
  ['an origin that only begins alike', { ...page, origin: 'https://notes.example.evil' }],
  ['another port', { ...page, origin: 'https://notes.example:8443' }],
  ['another scheme', { ...page, origin: 'http://notes.example' }],
  ['an opaque origin', { ...page, origin: 'null' }],
  ['a site beside', { ...page, 'sec-fetch-site': 'same-site' }],
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['a person who typed the URL', { 'sec-fetch-site': 'none' }],
  ['an empty origin', { origin: '' }],
])('error: a request of %s is rejected', (_, headers) => {
  expect(() => check({ host: 'notes.example', ...headers })).toThrow(/Only the web page/)
})

test('behavior: a request that says nothing of its origin is rejected only where that must be certain', () => {
  expect(check({ host: 'notes.example' })).toBe('https://notes.example')
  expect(() => check({ host: 'notes.example' }, true)).toThrow(/Only the web page/)
})
