import { expect, test } from 'vitest'
import { createRedact } from './create-redact.ts'

const url = new URL('https://gateway.example:8443/api/0123abcd/subgraphs/id/Qm%20Id?key=in-query&v=1')
const redact = createRedact({
  url,
  headers: { authorization: { reveal: () => 'Bearer very-secret' }, 'x-short': { reveal: () => 'yes' } },
})

test('default: what names nothing of ours stays as it is', () => {
  expect(redact('Cannot query field "x" on type "PositionInfo".')).toBe(
    'Cannot query field "x" on type "PositionInfo".',
  )
})

test.each([
  ['the URL', `failed at ${url.href} here`, 'failed at … here'],
  ['its origin', 'https://gateway.example:8443 is down', '… is down'],
  ['its host', 'no route to gateway.example:8443', 'no route to …'],
  ['a key in the path', 'key 0123abcd is over', 'key … is over'],
  ['a part that is encoded', 'deployment Qm%20Id', 'deployment …'],
  ['the same decoded', 'deployment Qm Id', 'deployment …'],
  ['a key in the query', 'key in-query is over', 'key … is over'],
  ['a header', 'bad authorization Bearer very-secret', 'bad authorization …'],
  ['the secret in a header', 'bad token very-secret', 'bad token …'],
])('behavior: %s is left out', (_, text, shown) => {
  expect(redact(text)).toBe(shown)
})

test('behavior: words that only happen to be in the path or a header stay', () => {
  expect(redact('yes, there are no subgraphs with an id')).toBe('yes, there are no subgraphs with an id')
})

test('behavior: one line, nothing that moves a cursor or turns text around, and no more than 300 characters', () => {
  expect(redact('a\u0000\r\n\tb\u001b[2J\u202ec\u200b\ud800')).toBe('a b [2J c')
  expect(redact('x'.repeat(300))).toHaveLength(300)
  expect(redact('x'.repeat(301))).toBe(`${'x'.repeat(299)}…`)
  expect(redact('😀'.repeat(10_000))).not.toMatch(/\p{Cs}/u)
})
