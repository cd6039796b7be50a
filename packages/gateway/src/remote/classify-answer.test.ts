import type { TallystickError } from '@tallystick/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyAnswer } from './classify-answer.ts'

const reading = { headAlias: 'h', redact: (text: string) => text.replaceAll('secret', '…'), nowMs: 0 }
const json = { 'content-type': 'application/json' }

function classify(value: unknown, { status = 200, headers = json as Record<string, string> } = {}) {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return classifyAnswer({ status, headers, text }, reading)
}

function errorOf(...parameters: Parameters<typeof classify>): TallystickError {
  try {
    classify(...parameters)
  } catch (error) {
    return error as TallystickError
  }
  throw new Error('classifyAnswer did not throw')
}
const kindOf = (error: TallystickError) => error.details?.['failure'] ?? error.code
const ofMessage = (message: string) => kindOf(errorOf({ errors: [{ message }] }))

describe('data', () => {
  test('default: removes the added head selection and keeps the rest', () => {
    const data = { b: [{ id: '1' }], h: { block: { number: 1, hash: '0xAb', timestamp: 2 } }, a: null }
    expect(classify({ data })).toEqual({
      data: '{"b":[{"id":"1"}],"a":null}',
      errors: [],
      head: { number: 1, hash: '0xAb', timestamp: 2 },
      source: 'remote',
    })
  })

  const h = '"h":{"block":{"number":1,"hash":"0xAb","timestamp":2}}'
  test.each([
    [`{"data":{${h},"a":12345678901234567890,"b":1.10}}`, '{"a":12345678901234567890,"b":1.10}'],
    [`{"data":{${h},"a":{"b":"}}"}}}`, '{"a":{"b":"}}"}}'],
    [`{"data":{${h},"a": [ 1 ] }}`, '{"a": [ 1 ] }'],
  ])('default: keeps the text of the upstream if the head comes first: %s', (text, expected) => {
    const head = { number: 1, hash: '0xAb', timestamp: 2 }
    expect(classify(text)).toEqual({ data: expected, errors: [], head, source: 'remote' })
  })

  test.each([
    ['is not first', `{"data":{"a":1,${h}}}`],
    ['is alone', `{"data":{${h}}}`],
    ['comes with spaces', `{ "data": { ${h}, "a": 1 } }`],
    ['ends with a line', `{"data":{${h},"a":1}}\n`],
    ['has something after it', `{"data":{${h},"a":1},"extensions":{}}`],
    ['has something before it', `{"extensions":{},"data":{${h},"a":1}}`],
    ['has no errors', `{"data":{${h},"a":1},"errors":[]}`],
    ['comes twice', `{"data":{${h},"a":2,${h},"a":1}}`],
    ['comes in two sets of data', `{"data":{${h},"a":2},"data":{${h},"a":1}}`],
    ['hides a second set of data', `{"data":{${h},"a":2},"\\u0064ata":{${h},"a":1}}`],
  ])('behavior: an answer whose head %s is still read as equivalent JSON', (_, text) => {
    const { data, head } = classify(text)
    expect(head).toEqual({ number: 1, hash: '0xAb', timestamp: 2 })
    const { chain, ...answer } = JSON.parse(`{"chain":324,"data":${data}}`)
    expect(chain).toBe(324)
    expect(Object.keys(answer)).toEqual(['data'])
    expect([undefined, 1]).toContain(answer.data.a)
  })

  // A line break is the one difference: an answer with one is always parsed. A repeated head may stay in the data.
  const meansTheSame = (text: string) => {
    const [quick, parsed] = [text, `${text}\n`].map((body) => {
      try {
        const { data, ...answer } = classify(body)
        const { h, ...rest } = JSON.parse(data)
        return { ...answer, data: rest }
      } catch (error) {
        return { kind: kindOf(error as TallystickError), message: (error as TallystickError).message }
      }
    })
    expect(quick).toEqual(parsed)
  }

  test('behavior: an answer that is not parsed means the same as one that is, whatever its data', () => {
    const heads = fc.oneof(
      fc.record({ block: fc.record({ number: fc.nat(), hash: fc.constantFrom('0x01', 'x'), timestamp: fc.nat() }) }),
      fc.jsonValue(),
    )
    const names = fc.constantFrom('a', 'b', 'h', 'errors', 'data', '__proto__', '\\', '"h"', '')
    const values = fc.oneof(fc.jsonValue(), fc.constantFrom('h', '"h":', ',"h":1', '}}', '\\"', ' ', '\u2028'))
    const members = (name: fc.Arbitrary<string>) => fc.array(fc.tuple(name, values), { maxLength: 4 })
    const write = (list: readonly (readonly [string, unknown])[]) =>
      list.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    const check = (head: unknown, inside: [string, unknown][], outside: [string, unknown][]) => {
      const data = `"data":{${[`"h":${JSON.stringify(head)}`, ...write(inside)].join(',')}}`
      meansTheSame(`{${[data, ...write(outside)].join(',')}}`)
    }
    const none = fc.constant<[string, unknown][]>([])
    const outside = fc.oneof({ weight: 3, arbitrary: none }, members(fc.constantFrom('data', 'errors', 'extensions')))
    fc.assert(fc.property(heads, members(names), outside, check), { numRuns: 2_000 })
  })

  test('behavior: an answer with a part removed, repeated or changed means the same as if it is parsed', () => {
    const text = `{"data":{${h},"a":[{"id":"1","n":-1.5e2,"x":null},[]],"b":{"h":true}}}`
    const pieces = ['{', '}', '[', ']', ',', ':', '"', '\\', '0', ' ', `${h},`, '"errors":[]', ',"h":null', '\\u0068']
    for (let start = 0; start <= text.length; start++) {
      for (const piece of ['', ...pieces]) {
        for (const length of [0, 1, 2, 9]) meansTheSame(text.slice(0, start) + piece + text.slice(start + length))
      }
    }
  })

  test.each([
    ['application/json'],
    ['application/json; charset=utf-8'],
    ['Application/JSON;charset=UTF-8'],
    ['application/graphql-response+json'],
  ])('default: accepts the content type %s', (type) => {
    expect(classify({ data: { a: 1 } }, { headers: { 'content-type': type } }).data).toBe('{"a":1}')
  })

  test('behavior: keys such as __proto__ are ordinary keys', () => {
    expect(classify('{"data":{"__proto__":{"x":1},"constructor":2,"h":null}}').data).toBe(
      '{"__proto__":{"x":1},"constructor":2}',
    )
  })

  test.each([
    ['no block', {}],
    ['null', null],
    ['a list', [{ block: { number: 1, hash: '0x01' } }]],
    ['a number as a string', { block: { number: '1', hash: '0x01' } }],
    ['a number below zero', { block: { number: -1, hash: '0x01' } }],
    ['a fraction', { block: { number: 1.5, hash: '0x01' } }],
    ['no hash', { block: { number: 1 } }],
    ['a hash that is null', { block: { number: 1, hash: null } }],
    ['a hash that is not hex', { block: { number: 1, hash: 'latest' } }],
    ['a hash that is too long', { block: { number: 1, hash: `0x${'0'.repeat(129)}` } }],
  ])('behavior: a head with %s is ignored, and the data is used', (_, h) => {
    expect(classify({ data: { a: 1, h } })).toEqual({ data: '{"a":1}', errors: [], head: undefined, source: 'remote' })
  })

  test.each([null, '5', -1, 1.5, {}])('behavior: a head whose timestamp is %j has no timestamp', (timestamp) => {
    const { head } = classify({ data: { h: { block: { number: 1, hash: '0x01', timestamp } } } })
    expect(head).toEqual({ number: 1, hash: '0x01', timestamp: undefined })
  })

  test('behavior: keeps data with errors, but data of nulls with errors is a failure', () => {
    const errors = [{ message: 'Query timed out' }, { message: 'a secret' }, {}]
    expect(classify({ data: { a: 1, b: null }, errors })).toMatchObject({
      errors: ['Query timed out', 'a …', 'an error without a message'],
    })
    expect(kindOf(errorOf({ data: { a: null, h: { block: {} } }, errors }))).toBe('slow_query')
  })

  test('behavior: null or empty errors are ignored', () => {
    expect(classify({ data: { a: 1 }, errors: null }).errors).toEqual([])
    expect(classify({ data: { a: 1 }, errors: [] }).errors).toEqual([])
  })
})

describe('messages of The Graph’s gateway and of graph-node', () => {
  test.each([
    ['auth error: missing authorization header', 'unauthorized'],
    ['Auth error: over the limit', 'unauthorized'],
    ['subgraph not found: no allocations', 'not_found'],
    ['chain not found: x', 'not_found'],
    ['deployment `QmX` does not exist', 'not_found'],
    ['no indexers found for QmX', 'no_indexers'],
    ['bad indexers: {0x1: BadResponse(Store error: x), 0x2: Timeout}', 'bad_indexers'],
    ['bad indexers: {0x1: Timeout, 0x2: Unavailable(too far behind)}', 'behind'],
    ['bad indexers: {0x1: BadResponse(data for block number 9 is therefore not yet available)}', 'behind'],
    ['block not found: 99', 'behind'],
    ['internal error: failed to serialize', 'internal'],
    [
      'Failed to decode `block.number_gte` value: `subgraph QmX has only indexed up to block number 1 and data for block number 2 is therefore not yet available`',
      'behind',
    ],
    ['subgraph QmX has not started syncing yet. Wait for it to ingest a few blocks before querying it', 'behind'],
    ['Query timed out', 'slow_query'],
    ['query timeout after 30s', 'slow_query'],
    ['Store error: database unavailable', 'internal'],
    ['Failed to get entities from store: x', 'internal'],
    ['indexing_error', 'internal'],
    ['panic processing query: x', 'internal'],
    ['the chain was reorganized while executing the query', 'internal'],
    ['service is overloaded and can not run the query right now. Please try again in a few minutes', 'busy'],
    ['', 'malformed'],
  ])('error: %j is %s', (message, failure) => {
    expect(ofMessage(message)).toBe(failure)
  })

  test.each([
    'bad query: failed to parse',
    'Type `Query` has no field `internal error`',
    'Invalid value provided for argument `where`: String("auth error")',
    'Store error: unsupported filter `>` for value `null`',
    'Store error: LIKE pattern must not end with escape character',
    'Store error: value "99999999999" is out of range for type integer',
    'query is too expensive',
    'the result size of 9 is larger than the allowed limit of 1',
    'Failed to decode `block.hash` value: `no block with that hash found`',
    'Failed to decode `block.number` value: `subgraph Qm only has data starting at block number 5 and data for block number 1 is therefore not available`',
    'an unknown message',
  ])('error: %j is an error of the query', (message) => {
    expect(ofMessage(message)).toBe('query_rejected')
  })

  test('behavior: one upstream failure among errors of the query is an upstream failure', () => {
    const errors = [{ message: 'Type `Query` has no field `x`' }, { message: 'Store error: no connection' }]
    expect(kindOf(errorOf({ errors }))).toBe('internal')
  })

  test('behavior: reports at most 10 messages and the number of the others', () => {
    const error = errorOf({ errors: Array.from({ length: 25 }, (_, index) => ({ message: `wrong ${index}` })) })
    expect(error.details?.['errors']).toHaveLength(11)
    expect(error.message).toMatch(/^The chain’s subgraph rejected the query: wrong 0; .*; wrong 9; and 15 more$/)
  })

  test.each([
    ['internal_error', 'internal'],
    ['database_unavailable', 'internal'],
    ['query_timeout', 'slow_query'],
    ['constructor', 'query_rejected'],
  ])('behavior: the code %s of an embedded subgraph is %s, whatever the message', (code, failure) => {
    expect(kindOf(errorOf({ errors: [{ message: 'x', extensions: { code } }] }))).toBe(failure)
  })

  test.each([[[null]], [['x']], [[1]], [[[]]], [[{ message: 5 }]]])(
    'error: entries %j without a message are malformed',
    (errors) => {
      expect(kindOf(errorOf({ errors }))).toBe('malformed')
    },
  )
})

describe('statuses and bodies', () => {
  test.each([
    [400, '{"errors":[{"message":"x"}]}', 'query_rejected'],
    [422, '{"errors":[{"message":"x"}]}', 'query_rejected'],
    [400, '{"errors":[{"message":"auth error"}]}', 'unauthorized'],
    [500, '{"errors":[{"message":"x"}]}', 'http_status'],
    [500, '{"errors":[{"message":"Query timed out"}]}', 'slow_query'],
    [500, '{"data":{"a":1}}', 'http_status'],
    [301, '', 'http_status'],
    [405, '', 'http_status'],
    [410, '', 'not_found'],
    [503, '<html>', 'http_status'],
  ])('error: status %i with %j is %s', (status, body, failure) => {
    expect(kindOf(errorOf(body, { status }))).toBe(failure)
  })

  test('behavior: Retry-After counts only for 429 and 503', () => {
    const headers = { 'retry-after': '9' }
    const waits = [429, 503, 500, 404].map((status) => errorOf('', { status, headers }).retryAfterSeconds)
    expect(waits).toEqual([9, 9, undefined, undefined])
  })

  test.each([
    ['{', 'truncated'],
    ['{"data":', 'truncated'],
    ['{"data":{"a":"}', 'truncated'],
    ['{"data":{"a":"\\', 'truncated'],
    ['{"data":{"a":"\\"}', 'truncated'],
    ['[1,[2]', 'truncated'],
    [' \n{"a"', 'truncated'],
    ['{"data":{}}}', 'not_json'],
    ['{"data":nothing}', 'not_json'],
    ['tru', 'not_json'],
    ['', 'not_json'],
    [' ', 'not_json'],
    ['<!doctype html>', 'not_json'],
  ])('error: %j is %s', (text, failure) => {
    expect(kindOf(errorOf(text))).toBe(failure)
  })

  test('behavior: classifies a truncated body of megabytes quickly', () => {
    const text = `{"data":{"a":"${'\\"{'.repeat(2_000_000)}`
    const started = performance.now()
    expect(kindOf(errorOf(text))).toBe('truncated')
    expect(performance.now() - started).toBeLessThan(60_000)
  })
})
