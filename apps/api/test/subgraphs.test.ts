import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { errorBodySchema } from '@tallystick/core'
import { openDatabase } from '@tallystick/database'
import { openSubgraph } from '@tallystick/subgraph'
import { Client, fetchExchange } from '@urql/core'
import type { FastifyInstance } from 'fastify'
import { GraphQLClient } from 'graphql-request'
import pino from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { registerSubgraphRoutes } from '../src/data/subgraph-route.ts'
import { createAddressLimit } from '../src/http/address-limit.ts'
import { createRequestIds, tlsHeaders } from '../src/http/common-headers.ts'
import { createInstance } from '../src/http/create-instance.ts'
import { call, createDeferrals, newDatabase } from './harness.ts'

const schema = `
  type Account @entity { id: Bytes! name: String notes: [Note!]! @derivedFrom(field: "owner") }
  type Note @entity { id: ID! owner: Account! principal: BigInt! }`
const query = '{ notes(orderBy: principal, orderDirection: desc) { id principal owner { name } } }'
const data = { notes: [{ id: '1', principal: '1000000000000000000', owner: { name: 'Ada' } }] }

let app: FastifyInstance
let url: string
let limited: FastifyInstance

beforeAll(async () => {
  const { defer, finish } = createDeferrals()
  const database = await openDatabase(await newDatabase('postgres', defer))
  defer(() => database.close())
  const subgraph = await openSubgraph({ database, schema, namespace: 'chain_324' })
  await subgraph.commit({ number: 7, hash: '0x07', parentHash: '0x06', timestamp: 1_800_000_000 }, [
    { entity: 'Account', id: '0xa1', set: { name: 'Ada' } },
    { entity: 'Note', id: '1', set: { owner: '0xa1', principal: '1000000000000000000' } },
  ])
  const build = (rpm: number | null, trust: readonly string[]) => {
    const instance = createInstance({
      clock: { now: () => 1_800_000_004_000 },
      log: pino({ level: 'silent' }),
      nextRequestId: createRequestIds(),
      headers: tlsHeaders,
    })
    const limitAddress = createAddressLimit({ rpm, trust, monotonicNow: () => performance.now() })
    registerSubgraphRoutes(instance, { subgraphs: new Map([[324, subgraph]]), limitAddress })
    defer(() => instance.close())
    return instance
  }
  app = build(null, [])
  limited = build(3, ['127.0.0.1'])
  url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/subgraphs/324`
  return finish
})

describe('clients as they come', () => {
  test('default: graphql-request', async () => {
    expect(await new GraphQLClient(url).request(query)).toEqual(data)
    await expect(new GraphQLClient(url).request('{ nothing }')).rejects.toThrow('Cannot query field "nothing"')
  })

  test('default: Apollo, which adds __typename and asks for another content type', async () => {
    const client = new ApolloClient({ link: new HttpLink({ uri: url }), cache: new InMemoryCache() })
    const result = await client.query({ query: gql(query) })
    expect(result.data).toMatchObject({
      notes: [{ __typename: 'Note', owner: { __typename: 'Account', name: 'Ada' } }],
    })
  })

  test('default: urql, which prefers GET', async () => {
    const client = new Client({ url, exchanges: [fetchExchange], preferGetMethod: true })
    const result = await client.query(query, {}).toPromise()
    expect(result.error).toBeUndefined()
    expect(result.data).toEqual(data)
  })

  test('default: curl', async () => {
    const body = JSON.stringify({ query })
    const printed = await promisify(execFile)('curl', ['-s', url, '-H', 'content-type: application/json', '-d', body])
    expect(JSON.parse(printed.stdout)).toEqual({ data })
  })
})

describe('over HTTP', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    call(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  test('default: variables and operationName; the block and its lag are in a header', async () => {
    const two = 'query A($id: ID!) { note(id: $id) { principal } } query B { accounts { id } }'
    const answer = await post({ query: two, variables: { id: '1' }, operationName: 'A', extensions: { x: 1 } })
    expect(answer.json()).toEqual({ data: { note: { principal: '1000000000000000000' } } })
    expect(answer.headers['x-tallystick-chains']).toBe('324;block=7;lag=4')
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  test('behavior: a query that fails is a 200 with errors and without data', async () => {
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

  test('error: GET without a query or with broken variables is a 400', async () => {
    expect((await call(url)).status).toBe(400)
    expect((await call(`${url}?query=%7Bx%7D&variables=%7B`)).status).toBe(400)
    expect((await call(`${url}?query=a&query=b`)).status).toBe(400)
  })

  test('error: another chain is a 404 that names those there are', async () => {
    for (const chain of ['1', '0324', 'x', '324%00', 'toString']) {
      const answer = await call(url.replace(/324$/, chain), {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json' },
      })
      expect([answer.status, answer.json().code]).toEqual([404, 'not_found'])
    }
  })

  test('default: a browser’s preflight is answered', async () => {
    const headers = { origin: 'https://wallet.example', 'access-control-request-headers': 'content-type, x-mine' }
    const answer = await call(url, { method: 'OPTIONS', headers })
    expect(answer.status).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': 'content-type, x-mine',
    })
  })
})

describe('rate limit per address', () => {
  const ask = (forwardedFor: string) =>
    limited.inject({
      method: 'POST',
      url: '/subgraphs/324',
      headers: { 'x-forwarded-for': forwardedFor },
      payload: { query: '{ notes { id } }' },
    })

  test('behavior: counted by the address the trusted proxy saw, whatever the client claims before it', async () => {
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
})
