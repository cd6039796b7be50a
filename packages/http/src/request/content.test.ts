import { expect, test } from 'vitest'
import { chooseMediaType } from './content.ts'

const assertAccepts = (accept: string | undefined, types: readonly string[] = ['application/json']) =>
  chooseMediaType(accept, types)

test.each([
  undefined,
  '',
  '   ',
  '*/*',
  'application/json',
  'application/*',
  'APPLICATION/JSON',
  'application/json; charset=utf-8',
  'application/json;q=0.001',
  'application/json;q=1.000',
  'application/json ; q=0.5',
  'text/html, application/json',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'text/html;q=0, */*',
  'application/problem+json, application/json;q=0.1',
  '*/*;q=0, application/json',
  'application/*;q=0, application/json;q=0.2',
])('default: %j accepts JSON', (accept) => {
  expect(() => assertAccepts(accept)).not.toThrow()
})

test.each([
  'text/html',
  'text/*',
  'application/xml',
  'application/jsonp',
  'application/ld+json',
  'text/json',
  'json',
  '*',
  '*/json',
  'application/json;q=0',
  'application/json; q=0.0',
  'application/json;Q=0.000',
  '*/*;q=0',
  'application/*;q=0',
  'text/html, application/json;q=0',
])('error: %j excludes JSON', (accept) => {
  expect(() => assertAccepts(accept)).toThrow(
    expect.objectContaining({ code: 'not_acceptable', retryable: false }) as Error,
  )
})

// RFC 9110 §12.5.1: the most specific range that matches has precedence.
test.each(['application/json;q=0, */*', '*/*, application/json;q=0', 'application/*;q=0, */*;q=0.5'])(
  'error: %j excludes JSON by its most specific range',
  (accept) => {
    expect(() => assertAccepts(accept)).toThrow(expect.objectContaining({ code: 'not_acceptable' }) as Error)
  },
)

test('error: the message', () => {
  expect(() => assertAccepts('text/html')).toThrowErrorMatchingInlineSnapshot(
    `[TallystickError: This service responds with application/json, which the Accept header excludes.]`,
  )
})

test('behavior: other media types of a route', () => {
  const types = ['application/json', 'text/event-stream']
  for (const accept of ['text/event-stream', 'text/*', '*/*', 'application/json']) {
    expect(() => assertAccepts(accept, types)).not.toThrow()
  }
  expect(() => assertAccepts('application/json', ['text/event-stream'])).toThrow(
    'responds with text/event-stream, which',
  )
  expect(() => assertAccepts('text/html', types)).toThrow('responds with application/json or text/event-stream, which')
})

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV; header=present', 'text/csv'],
  ['text/*', 'text/csv'],
  ['text/csv, */*;q=0.1', 'text/csv'],
  ['text/csv;q=0.5, application/json', 'application/json'],
  ['text/csv;q=0.5, application/json;q=0.4', 'text/csv'],
  ['text/csv, application/json', 'application/json'],
  ['*/*;q=0.1, application/json;q=0', 'text/csv'],
  ['text/html, */*;q=0.8', 'application/json'],
  ['text/csv;q=nonsense', 'text/csv'],
])('default: of JSON and CSV, %j prefers %s', (accept, type) => {
  expect(chooseMediaType(accept, ['application/json', 'text/csv'])).toBe(type)
})
