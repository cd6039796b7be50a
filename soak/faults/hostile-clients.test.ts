import { expect, test } from 'vitest'
import { findResponseProblem } from './hostile-clients.ts'
import { hostileBodies } from './hostile-queries.ts'

const answer = (status: number, body: unknown = {}, headers = {}) => ({ status, headers, body: JSON.stringify(body) })

test('default: data, errors and rejections are valid responses to a hostile query', () => {
  const right = [
    answer(200, { data: {} }),
    answer(200, { errors: [{ message: 'Too much.' }] }),
    answer(400),
    answer(413),
    answer(429, {}, { 'retry-after': '3' }),
    answer(503),
  ]
  for (const one of right) expect(findResponseProblem(one, false)).toBe(undefined)
})

test.each([
  [answer(500, { code: 'internal_error' })],
  [answer(502)],
  [answer(404)],
  [answer(200, {})],
  [{ ...answer(200), body: '<html>' }],
  [answer(429)],
])('error: %j is not', (one) => {
  expect(findResponseProblem(one, false)).toEqual(expect.any(String))
})

test('behavior: without the database, 502 and 504 are valid', () => {
  expect(findResponseProblem(answer(502), true)).toBe(undefined)
  expect(findResponseProblem(answer(500), true)).toEqual(expect.any(String))
})

test('default: the first query has 1,500 roots and fits the body limit', () => {
  expect(hostileBodies[0]?.body.length).toBeGreaterThan(50_000)
  for (const { body } of hostileBodies) expect(body.length).toBeLessThan(65_536)
})
