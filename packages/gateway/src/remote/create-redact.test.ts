import { expect, test } from 'vitest'
import { createRedact } from './create-redact.ts'

const url = new URL('https://gateway.example:8443/api/0123abcd/subgraphs/id/Qm%20Id?key=in-query&v=1')
const redact = createRedact(url, {
  authorization: { reveal: () => 'Bearer very-secret' },
  'x-short': { reveal: () => 'yes' },
})

test('default: text without secrets is unchanged', () => {
  expect(redact('Cannot query field "x" on type "PositionInfo".')).toBe(
    'Cannot query field "x" on type "PositionInfo".',
  )
})

test.each([
  ['the URL', `failed at ${url.href} here`, 'failed at … here'],
  ['its origin', 'https://gateway.example:8443 is down', '… is down'],
  ['its host', 'no route to gateway.example:8443', 'no route to …'],
  ['a key in the path', 'key 0123abcd is over', 'key … is over'],
  ['an encoded segment', 'deployment Qm%20Id', 'deployment …'],
  ['a decoded segment', 'deployment Qm Id', 'deployment …'],
  ['a key in the query', 'key in-query is over', 'key … is over'],
  ['a header', 'bad authorization Bearer very-secret', 'bad authorization …'],
  ['the secret in a header', 'bad token very-secret', 'bad token …'],
])('behavior: redacts %s', (_, text, shown) => {
  expect(redact(text)).toBe(shown)
})

test('behavior: keeps common words that also occur in the path or a header', () => {
  expect(redact('yes, there are no subgraphs with an id')).toBe('yes, there are no subgraphs with an id')
})

test('behavior: returns one line without control characters, at most 300 characters long', () => {
  expect(redact('a\u0000\r\n\tb\u001b[2J\u202ec\u200b\ud800')).toBe('a b [2J c')
  expect(redact('x'.repeat(300))).toHaveLength(300)
  expect(redact('x'.repeat(301))).toBe(`${'x'.repeat(299)}…`)
  expect(redact('😀'.repeat(10_000))).not.toMatch(/\p{Cs}/u)
})
