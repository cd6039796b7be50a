import { expect, test } from 'vitest'
import { hostileBodies } from './hostile-queries.ts'
import { findWrong } from './strangers.ts'

const answer = (status: number, body: unknown = {}, headers = {}) => ({ status, headers, body: JSON.stringify(body) })

test('default: data, errors and refusals are right answers to a hostile query', () => {
  const right = [
    answer(200, { data: {} }),
    answer(200, { errors: [{ message: 'Too much.' }] }),
    answer(400),
    answer(413),
    answer(429, {}, { 'retry-after': '3' }),
    answer(503),
  ]
  for (const one of right) expect(findWrong(one, false)).toBe(undefined)
})

test.each([
  [answer(500, { code: 'internal_error' })],
  [answer(502)],
  [answer(404)],
  [answer(200, {})],
  [{ ...answer(200), body: '<html>' }],
  [answer(429)],
])('error: %j is not', (one) => {
  expect(findWrong(one, false)).toEqual(expect.any(String))
})

test('behavior: without its database the index cannot be read, which is no internal error', () => {
  expect(findWrong(answer(502), true)).toBe(undefined)
  expect(findWrong(answer(500), true)).toEqual(expect.any(String))
})

test('default: the first query is the one of 1,500 roots, within what a body may be', () => {
  expect(hostileBodies[0]?.body.length).toBeGreaterThan(50_000)
  for (const { body } of hostileBodies) expect(body.length).toBeLessThan(65_536)
})
