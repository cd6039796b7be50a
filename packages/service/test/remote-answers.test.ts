import type { TLSSocket } from 'node:tls'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openDatabase } from '@tallystick/database'
import { openSubgraph } from '@tallystick/subgraph'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { headAt, respond, startFakeSubgraph } from './fake-subgraph.ts'
import { newDatabase } from './harness.ts'
import { errorOf, openRemote, remoteQuery, secretToken, turn } from './remote-harness.ts'
import { buildSubgraphApp } from './subgraph-app.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

describe('an answer', () => {
  test('default: separates the caller’s data from the head', async () => {
    const fake = await startFakeSubgraph({ answer: () => ({ positionInfos: [{ id: '1' }] }), head: headAt(7, 1_700) })
    const remote = openRemote([`${fake.url}/subgraphs/name/x?v=1`])
    const answer = await remote.ask({ variables: { first: 1 } })
    expect(answer).toEqual({
      data: '{"positionInfos":[{"id":"1"}]}',
      errors: [],
      head: { number: 7, hash: `0x${'7'.padStart(64, '0')}`, timestamp: 1_700 },
      source: 'remote',
    })
    const [request] = fake.requests
    expect(request).toMatchObject({
      query: remoteQuery().textWithHead,
      variables: { first: 1 },
      operationName: 'Positions',
      headers: {
        authorization: `Bearer ${secretToken}`,
        'content-type': 'application/json',
        accept: 'application/json, application/graphql-response+json',
        'accept-encoding': 'identity',
      },
    })
  })

  test('behavior: a response with only the head gives an empty object', async () => {
    const fake = await startFakeSubgraph({ answer: () => ({}) })
    expect(await openRemote([fake.url]).ask()).toMatchObject({ data: '{}', head: { number: 100 } })
  })

  test('behavior: a head without a hash is ignored, one without a timestamp is used', async () => {
    const fake = await startFakeSubgraph({ head: { number: 5, hash: null, timestamp: 1 } })
    const remote = openRemote([fake.url])
    expect((await remote.ask()).head).toBeUndefined()
    fake.setHead({ hash: '0x05', timestamp: null })
    expect((await remote.ask()).head).toEqual({ number: 5, hash: '0x05', timestamp: undefined })
  })

  test('behavior: data with errors is an answer with errors', async () => {
    const fake = await startFakeSubgraph()
    fake.behave(respond({ data: { a: [1], b: null }, errors: [{ message: 'Store error: b is broken' }] }))
    expect(await openRemote([fake.url]).ask()).toEqual({
      data: '{"a":[1],"b":null}',
      errors: ['Store error: b is broken'],
      head: undefined,
      source: 'remote',
    })
  })

  test('default: works over TLS with a trusted certificate', async () => {
    const authority = createCertificateAuthority()
    const server = await startLocalServer(
      (_, response) => response.setHeader('content-type', 'application/json; charset=utf-8').end('{"data":{"a":1}}'),
      { tls: authority.issue(['127.0.0.1']) },
    )
    const remote = openRemote([server.url], { ca: authority.cert })
    expect((await remote.ask()).data).toBe('{"a":1}')
    await remote.subgraph.close()
    await server.stop()
  })

  test('behavior: a new connection resumes the TLS session, also after a garbage collection', async () => {
    const authority = createCertificateAuthority()
    const resumed: boolean[] = []
    const server = await startLocalServer(
      ({ socket }, response) => {
        resumed.push((socket as TLSSocket).isSessionReused())
        response.setHeader('content-type', 'application/json').end('{"data":{"a":1}}')
      },
      { tls: authority.issue(['127.0.0.1']) },
    )
    const remote = openRemote([server.url], { ca: authority.cert })
    await remote.ask()
    server.closeConnections()
    await turn()
    collectGarbage()
    await remote.ask()
    expect(resumed).toEqual([false, true])
    await remote.subgraph.close()
    await server.stop()
  })

  test('behavior: connections are reused', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url])
    for (let count = 0; count < 20; count += 1) await remote.ask()
    // Two, because undici does not reuse a connection immediately after its response.
    expect(fake.connections()).toBeLessThanOrEqual(2)
  })

  test('behavior: a query on a reused connection that is reset is retried once', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url])
    await remote.ask()
    await turn()
    const seen: number[] = []
    fake.behave(({ response, answerWell }) => {
      seen.push(fake.connections())
      if (seen.length === 1) response.socket?.resetAndDestroy()
      else answerWell()
    })
    expect((await remote.ask()).data).toBe('{"positionInfos":[]}')
    expect(seen).toEqual([1, 2])
    expect(remote.log()).toBe('')
  })

  test('error: it is retried only once', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url])
    await remote.ask()
    await turn()
    fake.behave(({ response }) => response.socket?.resetAndDestroy())
    expect((await errorOf(remote.ask())).details).toEqual({ failure: 'reset' })
    expect(fake.queries()).toHaveLength(3)
  })
})

describe('another replica’s embedded subgraph', () => {
  /** Starts the real route with an index of one block and this rate limit per address. */
  async function startReplica(rpm: number | null = null) {
    const database = await openDatabase(await newDatabase())
    let closed: Promise<void> | undefined
    const closeDatabase = () => {
      closed ??= database.close()
      return closed
    }
    onTestFinished(closeDatabase)
    const schema = 'type Note @entity { id: ID! principal: BigInt! }'
    const subgraph = await openSubgraph({ database, schema, namespace: 'chain_324' })
    await subgraph.commit({ number: 7, hash: '0x07', parentHash: '0x06', timestamp: 1_800_000_000 }, [
      { entity: 'Note', id: '1', set: { principal: '1000000000000000000' } },
    ])
    const app = buildSubgraphApp(subgraph, { schema, rpm })
    onTestFinished(() => app.close())
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    return { url, closeDatabase, remote: openRemote([`${url}/subgraphs/324`]) }
  }
  const queryOf = (fields: string) => ({
    textWithHead: `query Positions { ${fields} head_1: _meta { block { number hash timestamp } } }`,
  })

  test('default: distinguishes its answers, rejections and failures', async () => {
    const { url, closeDatabase, remote } = await startReplica()
    expect(await remote.ask(queryOf('notes { id principal }'))).toEqual({
      data: '{"notes":[{"id":"1","principal":"1000000000000000000"}]}',
      errors: [],
      head: { number: 7, hash: '0x07', timestamp: 1_800_000_000 },
      source: 'remote',
    })
    expect((await errorOf(remote.ask(queryOf('nothing')))).code).toBe('query_rejected')
    const early = await errorOf(remote.ask(queryOf('notes(block: { number: 9 }) { id }')))
    expect(early.details).toEqual({ failure: 'behind' })
    const elsewhere = await errorOf(openRemote([`${url}/subgraphs/1`]).ask())
    expect(elsewhere.details).toEqual({ failure: 'not_found' })
    await closeDatabase()
    expect((await errorOf(remote.ask(queryOf('notes { id }')))).details).toEqual({ failure: 'internal' })
  })

  test('error: its rate limit opens the circuit for its Retry-After', async () => {
    const { remote } = await startReplica(1)
    await remote.ask(queryOf('notes { id }'))
    const error = await errorOf(remote.ask(queryOf('notes { id }')))
    expect(error.details).toEqual({ failure: 'busy' })
    expect(error.retryAfterSeconds).toBeGreaterThan(50)
    expect(remote.subgraph.status()[0]?.openForMs).toBeGreaterThan(50_000)
  })
})

test.each([
  ['a line break in a value', { authorization: 'Bearer x\n' }],
  ['a name that is none', { 'not a name': 'x' }],
  ['a header of the connection', { 'Transfer-Encoding': 'chunked' }],
])('error: %s is rejected before any query is sent', (_, headers) => {
  const secrets = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { reveal: () => value }]))
  expect(() => openRemote(['http://127.0.0.1:9'], { headers: secrets })).toThrow(/^The header .* cannot be sent/)
})
