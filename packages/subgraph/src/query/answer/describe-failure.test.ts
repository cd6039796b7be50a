import { GraphQLError } from 'graphql'
import { expect, test } from 'vitest'
import { QueryError } from '../query-error.ts'
import { describeFailure } from './describe-failure.ts'

const withCode = (code: string, message = 'the original message') => Object.assign(new Error(message), { code })

test.each([
  [new QueryError('wrong'), { code: 'invalid_query', entry: { message: 'wrong' } }],
  [new QueryError('early', { code: 'not_started' }), { code: 'not_started', entry: { message: 'early' } }],
  [new GraphQLError('Syntax Error'), { code: 'invalid_query', entry: { message: 'Syntax Error' } }],
  [withCode('22025', 'LIKE pattern'), { code: 'invalid_query', entry: { message: 'Store error: LIKE pattern' } }],
  [withCode('54001', 'stack depth'), { code: 'invalid_query', entry: { message: 'Store error: stack depth' } }],
  [
    new RangeError('Maximum call stack'),
    { code: 'invalid_query', entry: { message: 'The query is nested too deeply.' } },
  ],
])('default: %s is about the query and shown', (error, failure) => {
  expect(describeFailure(error, () => expect.unreachable())).toEqual(failure)
})

test.each([withCode('57014'), new DOMException('stop', 'AbortError')])('default: %s is a timeout', (error) => {
  const entry = { message: 'Query timed out', extensions: { code: 'query_timeout' } }
  expect(describeFailure(error, () => expect.unreachable())).toEqual({ code: 'query_timeout', entry })
})

test.each([
  [withCode('database_unavailable'), 'database_unavailable', 'Store error: the database cannot be reached'],
  [withCode('42P01'), 'internal_error', 'Store error: internal error'],
  [undefined, 'internal_error', 'Store error: internal error'],
])('behavior: %s goes to the operator, and the client sees %s', (error, code, message) => {
  const reported: unknown[] = []
  const failure = describeFailure(error, (internal) => reported.push(internal))
  expect(failure).toEqual({ code, entry: { message, extensions: { code } } })
  expect(reported).toEqual([error])
})
