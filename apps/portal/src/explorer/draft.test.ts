import { describe, expect, test } from 'vitest'
import { type Draft, formRequest, hasSecret, parseVariables } from './draft.ts'
import { formatExplorerLink, parseExplorerLink } from './explorer-link.ts'
import { addToHistory, nameOf, type PastQuery, parseHistory } from './query-history.ts'

const origin = 'https://notes.example'
const draft: Draft = { query: '{ pools { id } }', variables: '{"a": 1}', chains: [324, 8453] }
const key = 'tsk_test_y1R4vmrvfPgjQeX0YqTlcoqH2GdH3Z2kCisZ'
const chainIds = [324, 8453]

describe('request', () => {
  test('default: the body has query, variables and chains, as the service reads it', () => {
    expect(formRequest(draft)).toEqual({
      request: {
        path: '/data',
        method: 'POST',
        headers: [
          ['accept', 'application/json'],
          ['content-type', 'application/json'],
        ],
        body: '{"query":"{ pools { id } }","variables":{"a":1,"chains":[324,8453]}}',
        needsKey: true,
        isStream: false,
        isJson: true,
      },
    })
  })

  test('behavior: the variables are sent as they were written, also integers above 2^53', () => {
    const variables = '{ "wei": 9007199254740993, "list": [18446744073709551615, 1.0], "__proto__": {} }'
    const written = '"wei":9007199254740993,"list":[18446744073709551615,1.0],"__proto__":{}'
    const bodyOf = (change: Partial<Draft>) => formRequest({ ...draft, variables, ...change })
    expect(bodyOf({})).toMatchObject({
      request: { body: `{"query":"{ pools { id } }","variables":{${written},"chains":[324,8453]}}` },
    })
    expect(bodyOf({ chains: [324], isPlain: true })).toMatchObject({
      request: { body: `{"query":"{ pools { id } }","variables":{${written}}}` },
    })
  })

  test('behavior: one chain can be asked at its own endpoint, without chains, and an operation is named', () => {
    const plain = formRequest({ ...draft, chains: [324], isPlain: true, operationName: 'A' })
    expect(plain).toMatchObject({
      request: {
        path: '/data/324',
        body: '{"query":"{ pools { id } }","variables":{"a":1},"operationName":"A"}',
      },
    })
    expect(formRequest({ ...draft, isPlain: true })).toMatchObject({ request: { path: '/data' } })
  })

  test.each([
    ['[]', 'The variables are not a JSON object.'],
    ['{', 'The variables are not a JSON object.'],
    ['null', 'The variables are not a JSON object.'],
    ['{"chains": [1]}', 'Choose the chains above'],
  ])('error: variables %s are not sent', (variables, fault) => {
    expect(formRequest({ ...draft, variables })).toEqual({ fault: expect.stringContaining(fault) })
  })

  test('error: without a query or a chain nothing is sent', () => {
    expect(formRequest({ ...draft, query: ' \n' })).toEqual({ fault: 'The query is empty.' })
    expect(formRequest({ ...draft, chains: [] })).toEqual({ fault: 'Choose at least one chain.' })
    expect(parseVariables('  ')).toEqual({})
  })
})

describe('link', () => {
  const parse = (href: string) => parseExplorerLink(new URL(href, origin).searchParams, chainIds)

  test.each([
    ['plain', draft],
    ['one chain', { ...draft, chains: [8453] }],
    [
      'all kinds of text',
      { ...draft, query: '<script>alert(1)</script> & + % # ? \n "é😀"', variables: '{"a":"&=+"}' },
    ],
  ])('default: a link to a draft of %s opens that draft', (_, { query, variables, chains }) => {
    const href = formatExplorerLink({ query, variables, chains }) as string
    expect(href).toMatch(/^\/explorer\?query=[^<>"\s]*&chains=[\d,]+$/)
    expect(parse(href)).toEqual({ draft: { query, variables, chains } })
  })

  test('error: a key never becomes part of a link, and neither does a long text', () => {
    expect(formatExplorerLink({ ...draft, variables: `{"key":"${key}"}` })).toBeUndefined()
    expect(formatExplorerLink({ ...draft, query: 'x'.repeat(7_000) })).toBeUndefined()
    expect(formatExplorerLink({ ...draft, query: 'é'.repeat(2_000) })).toBeUndefined()
    expect(hasSecret({ query: key, variables: '' })).toBe(true)
  })

  test('error: a link that is too long or names other chains says so', () => {
    const fault = 'The query in the link is too long, or has a key in it.'
    for (const query of ['x'.repeat(7_001), encodeURIComponent('é'.repeat(3_000)), key])
      expect(parse(`/explorer?query=${query}`)).toEqual({ fault })
    expect(parse('/explorer?query=%7Ba%7D&chains=324,1')).toEqual({
      draft: { query: '{a}', variables: '{}', chains: [324] },
      fault: 'The link names a chain that this service cannot query.',
    })
    expect(parse('/explorer?query=%7Ba%7D&chains=324.0,0x144,__proto__').draft?.chains).toEqual([])
    expect(parse('/explorer?query=%7Ba%7D').draft?.chains).toEqual(chainIds)
    expect(parse('/explorer?chains=324')).toEqual({})
  })
})

describe('history', () => {
  const past = (query: string, at = 1): PastQuery => ({ query, variables: '{}', chains: [324], at })

  test('default: the newest is first, and an equal query is listed once', () => {
    const list = addToHistory(addToHistory(addToHistory([], past('a', 1)), past('b', 2)), past('a', 3))
    expect(list.map(({ query, at }) => [query, at])).toEqual([
      ['a', 3],
      ['b', 2],
    ])
    expect(parseHistory(JSON.stringify(list))).toEqual(list)
  })

  test('behavior: it is bounded in number and in size', () => {
    let list: readonly PastQuery[] = []
    for (let index = 0; index < 60; index++) list = addToHistory(list, past(`{ a${index} }`, index))
    expect(list).toHaveLength(25)
    for (let index = 0; index < 10; index++) list = addToHistory(list, past('x'.repeat(30_000 + index), index))
    expect(list.length).toBeLessThan(4)
    expect(addToHistory(list, past('x'.repeat(200_000)))).toEqual([])
  })

  test('error: a query with a key in it is not kept, and foreign content of the storage is ignored', () => {
    expect(addToHistory([], past(`{ a(key: "${key}") }`))).toEqual([])
    for (const text of [
      '',
      '{',
      '{}',
      'null',
      '[1, null, {}]',
      '[{"query":1,"variables":"","chains":[],"at":1}]',
      null,
    ])
      expect(parseHistory(text)).toEqual([])
    expect(parseHistory('[{"query":"","variables":"","chains":["324"],"at":1}]')).toEqual([])
  })

  test('behavior: a query is named after its operation or its first field', () => {
    const queries = ['query Earnings($a: ID!) { account(id: $a) { id } }', '{ pools { id } }', '<b>']
    expect(queries.map((query) => nameOf({ query }))).toEqual(['Earnings', 'pools', 'Query'])
  })
})
