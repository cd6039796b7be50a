import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { errorBodySchema } from '@tallystick/core'
import { openDatabase } from '@tallystick/database'
import { publicQueryLimits } from '@tallystick/gateway'
import { openSubgraph } from '@tallystick/subgraph'
import { sendRequest } from '@tallystick/workbench/send-request'
import type { FastifyInstance } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { createDeferrals, newDatabase } from './harness.ts'
import { type Clients, loadClients } from './load-graphql-clients.ts'
import { buildSubgraphApp } from './subgraph-app.ts'

const schema = `
  type Account @entity { id: Bytes! name: String notes: [Note!]! @derivedFrom(field: "owner") }
  type Note @entity { id: ID! owner: Account! principal: BigInt! }`
const query = '{ notes(orderBy: principal, orderDirection: desc) { id principal owner { name } } }'
const data = { notes: [{ id: '1', principal: '1000000000000000000', owner: { name: 'Ada' } }] }

let app: FastifyInstance
let url: string
let limited: FastifyInstance
let short: FastifyInstance

beforeAll(async () => {
  const { defer, finish } = createDeferrals()
  const database = await openDatabase(await newDatabase('postgres', defer))
  defer(() => database.close())
  const subgraph = await openSubgraph({ database, schema, namespace: 'chain_324' })
  await subgraph.commit({ number: 7, hash: '0x07', parentHash: '0x06', timestamp: 1_800_000_000 }, [
    { entity: 'Account', id: '0xa1', set: { name: 'Ada' } },
    { entity: 'Note', id: '1', set: { owner: '0xa1', principal: '1000000000000000000' } },
  ])
  const build = (limits: { readonly rpm?: number; readonly msPerMinute?: number }) => {
    const instance = buildSubgraphApp(subgraph, { schema, now: () => 1_800_000_004_000, ...limits })
    defer(() => instance.close())
    return instance
  }
  app = build({})
  limited = build({ rpm: 3 })
  // The first query uses up the address's query time.
  short = build({ msPerMinute: 0.001 })
  url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/subgraphs/324`
  return finish
})

describe('common clients', { tags: 'slow' }, () => {
  let clients: Clients
  beforeAll(async () => {
    clients = await loadClients()
  })

  test('default: graphql-request', async () => {
    expect(await new clients.GraphQLClient(url).request(query)).toEqual(data)
    await expect(new clients.GraphQLClient(url).request('{ nothing }')).rejects.toThrow('Cannot query field "nothing"')
  })

  test('default: Apollo, which adds __typename and accepts another content type', async () => {
    const client = new clients.ApolloClient({
      link: new clients.HttpLink({ uri: url }),
      cache: new clients.InMemoryCache(),
    })
    const result = await client.query({ query: clients.gql(query) })
    expect(result.data).toMatchObject({
      notes: [{ __typename: 'Note', owner: { __typename: 'Account', name: 'Ada' } }],
    })
  })

  test('default: urql, which prefers GET', async () => {
    const client = new clients.Client({ url, exchanges: [clients.fetchExchange], preferGetMethod: true })
    const result = await client.query(query, {}).toPromise()
    expect(result.error).toBeUndefined()
    expect(result.data).toEqual(data)
  })
})

describe('over HTTP', () => {
  test('default: curl', async () => {
    const body = JSON.stringify({ query })
    const printed = await promisify(execFile)('curl', ['-s', url, '-H', 'content-type: application/json', '-d', body])
    expect(JSON.parse(printed.stdout)).toEqual({ data })
  })

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    sendRequest(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  test('default: supports variables and operationName, and returns block and lag in a header', async () => {
    const two = 'query A($id: ID!) { note(id: $id) { principal } } query B { accounts { id } }'
    const answer = await post({ query: two, variables: { id: '1' }, operationName: 'A', extensions: { x: 1 } })
    expect(answer.json()).toEqual({ data: { note: { principal: '1000000000000000000' } } })
    expect(answer.headers['x-tallystick-chains']).toBe('324;block=7;lag=4;source=embedded')
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  test('behavior: responds 200 with errors and without data to a query that fails', async () => {
    for (const failing of ['{', '{ nothing }', 'mutation { x }', '{ notes(first: 0) { id } }', '']) {
      const answer = await post({ query: failing })
      expect(answer.status).toBe(200)
      expect(answer.json()).toEqual({ errors: [expect.objectContaining({ message: expect.any(String) })] })
    }
  })

  test.each([
    ['no JSON', '{', 'application/json', 400],
    ['nothing', '', 'application/json', 400],
    ['a batch', '[{"query":"{x}"}]', 'application/json', 400],
    ['a text', '"x"', 'application/json', 400],
    ['null', 'null', 'application/json', 400],
    ['no query', '{"variables":{}}', 'application/json', 400],
    ['a query that is no text', '{"query":1}', 'application/json', 400],
    ['variables that are no object', '{"query":"{x}","variables":[]}', 'application/json', 400],
    ['an operation name that is none', '{"query":"{x}","operationName":1}', 'application/json', 400],
    ['another type', 'query', 'application/xml', 415],
    ['too much', JSON.stringify({ query: 'x'.repeat(70_000) }), 'application/json', 413],
    ['a poisoned object', '{"query":"{x}","__proto__":{}}', 'application/json', 400],
  ])('error: %s', async (_, body, type, status) => {
    const answer = await post(body, { 'content-type': type })
    expect(answer.status).toBe(status)
    errorBodySchema.parse(answer.json())
    expect(answer.headers['access-control-allow-origin']).toBe('*')
  })

  test('error: responds 400 to GET without a query or with invalid variables', async () => {
    expect((await sendRequest(url)).status).toBe(400)
    expect((await sendRequest(`${url}?query=%7Bx%7D&variables=%7B`)).status).toBe(400)
    expect((await sendRequest(`${url}?query=a&query=b`)).status).toBe(400)
  })

  test('error: responds 404 to an unknown chain and lists the existing ones', async () => {
    for (const chain of ['1', '0324', 'x', '324%00', 'toString']) {
      const answer = await sendRequest(url.replace(/324$/, chain), {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json' },
      })
      expect([answer.status, answer.json().code]).toEqual([404, 'not_found'])
    }
  })

  test('default: answers a CORS preflight', async () => {
    const headers = { origin: 'https://wallet.example', 'access-control-request-headers': 'content-type, x-mine' }
    const answer = await sendRequest(url, { method: 'OPTIONS', headers })
    expect(answer.status).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': 'content-type, x-mine',
    })
  })
})

describe('limits of a query', () => {
  const post = (body: object) =>
    sendRequest(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const repeat = (count: number, text: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => text(index)).join(' ')
  const { tokens, rootFields, aliases } = publicQueryLimits

  test.each([
    ['root fields', `{ ${repeat(rootFields + 1, (at) => `a${at}: notes { id }`)} }`, '32 root fields; the limit is 31'],
    ['1,500 of them', `{ ${repeat(1_500, (at) => `a${at}: notes { id owner { name } }`)} }`, 'more than 2011 tokens'],
    ['aliases', `{ notes { ${repeat(aliases + 1, (at) => `a${at}: id`)} } }`, '102 aliases; the limit is 101'],
    ['tokens', `{ notes { ${repeat(tokens, () => 'id')} } }`, 'more than 2011 tokens'],
    [
      'fields',
      `{ ${repeat(31, () => 'notes { ...F }')} } fragment F on Note { ${repeat(70, () => 'id')} }`,
      '2201 fields',
    ],
    [
      'depth',
      `{ accounts { ${'notes { owner { '.repeat(5)}id${' } }'.repeat(5)} } }`,
      '12 levels deep; the limit is 10',
    ],
    ['rows', '{ accounts(first: 1000) { notes(first: 101) { id } } }', '101000 rows along one path'],
    [
      'introspection',
      `{ __schema { types { ${'fields { type { '.repeat(4)}name${' } }'.repeat(4)} } } }`,
      'introspection',
    ],
  ])('error: responds 200 with the message of the limit to too many %s', async (_, text, message) => {
    const byGet = await sendRequest(
      `${url}?${new URLSearchParams({ query: text.length < 4_000 ? text : '{ notes { x } }' })}`,
    )
    for (const answer of [await post({ query: text }), ...(text.length < 4_000 ? [byGet] : [])]) {
      expect(answer.status).toBe(200)
      expect(answer.json()).toEqual({ errors: [{ message: expect.stringContaining(message) }] })
    }
  })

  test('error: limits rows requested by a variable', async () => {
    const text = `query A($first: Int = 1000) { accounts(first: $first) { notes(first: 200) { id } } } query B { notes { id } }`
    const messageOf = async (body: object) => (await post({ query: text, ...body })).json().errors?.[0].message
    expect(await messageOf({ operationName: 'A' })).toMatch(/200000 rows/)
    expect(await messageOf({ operationName: 'A', variables: { first: 501 } })).toMatch(/100200 rows/)
    expect(await messageOf({ operationName: 'A', variables: { first: 500 } })).toBeUndefined()
    expect(await messageOf({ operationName: 'B' })).toBeUndefined()
    expect(await messageOf({ operationName: 'C' })).toBe('Unknown operation named "C".')
  })

  // In a query of /data, the variable `chains` selects the chains. Here it is a variable like any other.
  describe('behavior: a variable named `chains` changes no limit', () => {
    const deep = `{ ${'notes { owner { '.repeat(5)}id${' } }'.repeat(5)} }`
    const wide = '{ notes(first: 200) { id } }'

    test.each([
      ['query ($chains: Int) { accounts(first: $chains) SELECTION }', undefined],
      ['query ($chains: ID!) { accounts SELECTION note(id: $chains) { id } }', undefined],
      ['query ($chains: Int) { ...F } fragment F on Query { accounts(first: $chains) SELECTION }', undefined],
      [
        'query A($a: Int) { accounts(first: $a) SELECTION } query B($chains: Int) { notes(first: $chains) { id } }',
        'A',
      ],
    ])('%s', async (text, operationName) => {
      const variables = { chains: 501, a: 501 }
      const ask = async (selection: string, given: object = variables) => {
        const asked = { query: text.replace('SELECTION', selection), variables: given, operationName }
        const query = { ...asked, variables: JSON.stringify(given), operationName: operationName ?? '' }
        const [posted, got] = [await post(asked), await sendRequest(`${url}?${new URLSearchParams(query)}`)]
        expect(got.json()).toEqual(posted.json())
        return posted.json()
      }
      expect(await ask(deep)).toEqual({ errors: [{ message: expect.stringContaining('12 levels deep') }] })
      const isCounted = /first: \$(chains|a)\) SELECTION/.test(text)
      if (isCounted) expect(await ask(wide)).toEqual({ errors: [{ message: expect.stringContaining('100200 rows') }] })
      expect(await ask('{ id }', { chains: 5, a: 5 })).toHaveProperty('data.accounts', [{ id: '0xa1' }])
    })
  })

  test('behavior: allows the largest query of /data with the head selection that a gateway adds', async () => {
    const head = 'tallystickHead: _meta { block { number hash timestamp } }'
    // 30 root fields, 100 aliases and the maximum of tokens.
    const roots = repeat(
      30,
      (at) => `a${at}: notes { ${at < 7 ? repeat(10, (id) => `b${id}: id`) : ''} ${repeat(50, () => 'id')} }`,
    )
    const answer = await post({ query: `{ ${head} ${roots} }` })
    expect(answer.json().errors).toBeUndefined()
    expect(Object.keys(answer.json().data)).toHaveLength(31)
  })

  test('behavior: other errors have the subgraph’s own messages', async () => {
    const messages = []
    for (const query of ['{ ...A }', '{ notes { id } } { notes { id } }', '{ ...A } fragment A on Query { ...A }']) {
      messages.push((await post({ query })).json().errors[0].message)
    }
    expect(messages).toEqual([
      'Unknown fragment "A".',
      'This anonymous operation must be the only defined operation.',
      'Cannot spread fragment "A" within itself.',
    ])
  })
})

describe('rate limit per address', () => {
  const ask = (forwardedFor: string, instance = limited) =>
    instance.inject({
      method: 'POST',
      url: '/subgraphs/324',
      headers: { 'x-forwarded-for': forwardedFor },
      payload: { query: '{ notes { id } }' },
    })

  test('behavior: uses the address that the trusted proxy reports, not the one that the client claims', async () => {
    const statuses = []
    for (const claim of ['1.1.1.1, 9.9.9.9', '2.2.2.2, 9.9.9.9', '9.9.9.9', '9.9.9.9, 127.0.0.1', '9.9.9.9']) {
      statuses.push((await ask(claim)).statusCode)
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    const refused = await ask('9.9.9.9')
    expect(refused.headers['ratelimit-policy']).toBe('"default";q=3;w=60')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused.headers['access-control-allow-origin']).toBe('*')
    expect((await ask('8.8.8.8')).statusCode).toBe(200)
  })

  test('behavior: rejects an address that has used up its query time', async () => {
    const first = await ask('7.7.7.7', short)
    expect(first.statusCode).toBe(200)
    const refused = await ask('7.7.7.7', short)
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate_limited'])
    expect(refused.json().message).toMatch(/^Your address has used its query time of 0.001 ms per minute/)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1)
    expect(refused.headers['access-control-allow-origin']).toBe('*')
  })

  test('behavior: treats an IPv6 /64 network as one address', async () => {
    expect((await ask('2001:db8::1', short)).statusCode).toBe(200)
    expect((await ask('2001:db8::2', short)).statusCode).toBe(429)
    expect((await ask('2001:db8:0:1::2', short)).statusCode).toBe(200)
  })
})
