// @module-tag server

import { once } from 'node:events'
import { Agent } from 'node:https'
import { connect } from 'node:tls'
import { openDatabase } from '@tallystick/database'
import { type PrebuiltWriter, prebuiltWriter } from '@tallystick/http'
import { listKeys } from '@tallystick/keys'
import { sendRequest } from '@tallystick/workbench/send-request'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type FakeSubgraph, headAt, startFakeSubgraph } from './fake-subgraph.ts'
import { createDeferrals, createKey, newDatabase, pool, start, type TestService } from './harness.ts'
import { type RawPost, readAnswers, sendRaw, writePost } from './raw-connection.ts'

const { defer, finish } = createDeferrals()
const at = Date.parse('2026-11-15T12:00:00.5-05:00')
const ids = [324, 10]
let fakes: FakeSubgraph[]
let fast: TestService
/** Same service without the fast path: the framework handles every request. */
let plain: TestService
let keys: Readonly<Record<'unlimited' | 'limited' | 'scant' | 'other', string>>
let fastUrl: string
/** Returns how many responses the fast path have sent. */
let prebuiltSent = 0

const counting: PrebuiltWriter = {
  ...prebuiltWriter,
  send: (...sending) => {
    prebuiltSent += 1
    prebuiltWriter.send(...sending)
  },
}
const failing: PrebuiltWriter = { ...prebuiltWriter, build: () => undefined }

async function startWith(writer: PrebuiltWriter, databaseUrl = fastUrl): Promise<TestService> {
  const chains = ids.map((id, index) => ({
    ...{ id, name: 'chain', pool },
    subgraph: { urls: [fakes[index]?.url] },
  }))
  const config = { chains, data: { hedgeMs: null, pollMs: 60_000 } }
  return start({ databaseUrl, at: new Date(at).toISOString(), config, prebuiltWriter: writer }, defer)
}

/** Copies all keys with their secrets. */
async function copyKeys(from: TestService, to: TestService): Promise<void> {
  for (const table of ['api_keys', 'api_key_secrets']) {
    const rows = await from.database.query(`select jsonb_agg(to_jsonb(t))::text as rows from ${table} t`)
    const [{ rows: text } = { rows: '[]' }] = rows as { rows: string }[]
    await to.database.query(`insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`, [text])
  }
  await to.database.query('update api_key_revision set value = (select max(revision) from api_keys)')
}

beforeAll(async () => {
  fakes = await Promise.all(
    ids.map((id) => {
      const answer = () => ({ positionInfos: [{ id: `of ${id}: é€` }] })
      return startFakeSubgraph({ answer, head: headAt(id, at / 1000 - 7.5) }, defer)
    }),
  )
  // Each on its own database: on one, both would share the allowance of a key.
  fastUrl = await newDatabase('postgres', defer)
  fast = await startWith(counting)
  plain = await startWith(failing, await newDatabase('postgres', defer))
  const secretOf = async (request: object) => (await createKey(plain, request)).secret
  keys = {
    unlimited: await secretOf({}),
    limited: await secretOf({ rpm: 1_000 }),
    scant: await secretOf({ rpm: 3 }),
    other: await secretOf({ scopes: ['notes'] }),
  }
  await copyKeys(plain, fast)
  await vi.waitFor(async () => {
    const [answer] = await readFrom(fast, [last({ key: keys.other })])
    expect(answer?.body).toContain('insufficient_scope')
  }, waitOptions)
  // The framework answers the first two, the second one from memory. The third one has a head that Node made.
  for (const service of [fast, plain]) await readFrom(service, [post(), post(), post(), post(), getNotes(), getNotes()])
  return finish
})

const known = JSON.stringify({ query: '{ positionInfos { id } }', variables: { chains: ids } })
const close = 'connection: close'

const post = (request: Partial<RawPost> = {}) => writePost({ key: keys.unlimited, body: known, ...request })

/** Returns a request after which the service closes the connection. */
const last = (request: Partial<RawPost> = {}) => post({ ...request, headers: [...(request.headers ?? []), close] })
const withHeader = (...headers: string[]) => [post({ headers }) + last({ headers })]
const getNotes = () => `GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${keys.limited}\r\n\r\n`

async function readFrom(service: TestService, parts: readonly string[]) {
  const ended = /connection: [a-z, ]*close/.test(parts.join(''))
    ? parts
    : [...parts.slice(0, -1), `${parts.at(-1)}${last()}`]
  return readAnswers(await sendRaw(service, ended))
}

/** Requests that both services must answer alike, each with the number of responses the fast path sends. */
const cases: Readonly<Record<string, readonly [() => readonly string[], number?]>> = {
  'a known body': [() => [post() + post() + post() + last()], 3],
  'requests one after the other': [() => [post(), post(), post(), last()], 3],
  'an allowance that two paths share': [
    () => [post({ key: keys.limited }) + getNotes() + post({ key: keys.limited }) + getNotes() + last()],
    4,
  ],
  'a spent allowance': [() => [post({ key: keys.scant }).repeat(5) + last({ key: keys.scant })], 3],
  'a body after its head': [() => [post().slice(0, -known.length), known, last()], 0],
  'a body in two parts': [() => [post().slice(0, -10), known.slice(-10), last()], 0],
  'a head in two parts': [() => [post().slice(0, 40), post().slice(40), last()], 1],
  'HTTP/1.0': [() => [post({ line: 'POST /data HTTP/1.0', headers: [close] })], 0],
  'a chunked body': [
    () => [
      post({ length: undefined, headers: ['transfer-encoding: chunked'], body: chunked(known) }) +
        last({ length: undefined, headers: ['transfer-encoding: chunked'], body: chunked(known) }),
    ],
    0,
  ],
  'a chunked body with a length': [() => [last({ headers: ['transfer-encoding: chunked'] })], 0],
  'expect: 100-continue': [() => withHeader('expect: 100-continue'), 0],
  'expect: 100-continue, then the body': [
    () => [post({ headers: ['expect: 100-continue'] }).slice(0, -known.length), known, last()],
    0,
  ],
  'another expectation': [() => withHeader('expect: 200-ok'), 0],
  'a media type with charset': [() => withHeader('content-type: application/json; charset=utf-8'), 0],
  'a media type in capitals': [() => withHeader('content-type: Application/JSON'), 0],
  'another media type': [() => withHeader('content-type: text/plain'), 0],
  'an empty media type': [() => withHeader('content-type: '), 0],
  'two media types, the first one JSON': [() => withHeader('content-type: application/json', 'content-type: a/b'), 0],
  'two media types, the second one JSON': [() => withHeader('content-type: a/b', 'content-type: application/json'), 0],
  'two equal lengths': [() => [last({ headers: [`content-length: ${known.length}`] })], 0],
  'two lengths': [() => [last({ headers: ['content-length: 3'] })], 0],
  'a length that is too small': [() => [last({ length: known.length - 3 })], 0],
  'a length that is not a number': [() => [last({ length: undefined, headers: ['content-length: x'] })], 0],
  'no length': [() => [post({ length: undefined, body: '' }) + last({ length: undefined, body: '' })], 0],
  'a length of 0': [() => [post({ body: '' }) + last({ body: '' })], 0],
  'bytes that are not a request': [() => [post(), `\x00\x01garbage\r\n${close}\r\n\r\n`], 1],
  'a body over the limit': [() => [last({ body: known + ' '.repeat(70_000) })], 0],
  'a length over the limit and no body': [() => [last({ length: 70_000, body: '' })], 0],
  'no key': [() => [post({ key: undefined }) + last({ key: undefined })], 0],
  'a wrong key': [() => [post({ key: 'nothing' }) + last({ key: 'nothing' })], 0],
  'a wrong key and a wrong body': [() => [last({ key: 'nothing', body: '{' })], 0],
  'two keys': [() => withHeader(`x-api-key: ${keys.unlimited}`), 0],
  'a key without the scope': [() => [post({ key: keys.other }) + last({ key: keys.other })], 0],
  'accept: anything': [() => withHeader('accept: */*'), 0],
  'accept: anything, again': [() => [post({ headers: ['accept: */*'] }).repeat(3) + last()], 2],
  'accept: a list with JSON': [() => withHeader('accept: application/json, text/plain;q=0.5'), 0],
  'accept: HTML': [() => withHeader('accept: text/html'), 0],
  'connection: keep-alive': [() => [post({ headers: ['connection: keep-alive'] }) + last()], 1],
  'connection: upgrade': [() => [post({ headers: ['connection: upgrade, close', 'upgrade: websocket'] })], 0],
  'a content encoding': [() => withHeader('content-encoding: gzip'), 1],
  'headers of a proxy': [() => withHeader('x-forwarded-proto: http', 'x-forwarded-for: 1.2.3.4'), 1],
  'the old name': [() => [post({ line: 'POST /graphql HTTP/1.1' }) + last({ line: 'POST /graphql HTTP/1.1' })], 0],
  'a query string': [() => [post({ line: 'POST /data?a=b HTTP/1.1' }) + last()], 0],
  'a path in percent-encoding': [() => [post({ line: 'POST /d%61ta HTTP/1.1' }) + last()], 0],
  'a path with a trailing slash': [() => [post({ line: 'POST /data/ HTTP/1.1' }) + last()], 0],
  'GET with a body': [() => [post({ line: 'GET /data HTTP/1.1' }) + last()], 0],
  PUT: [() => [post({ line: 'PUT /data HTTP/1.1' }) + last()], 0],
}

/** Bodies that both services must answer alike, each with whether the fast path answers a repeated one. */
const bodies: Readonly<Record<string, readonly [string, 0 | 1]>> = {
  'broken JSON': ['{"query":', 0],
  'a body that is not an object': ['[1]', 0],
  'an unknown member': [known.replace('{', '{"x":1,'), 0],
  'a member __proto__': [known.replace('{', '{"__proto__":{"x":1},'), 0],
  'a byte order mark': [`\xef\xbb\xbf${known}`, 1],
  'bytes that are not UTF-8': [known.replace('{ pos', '{ \xff pos'), 0],
  'a comment outside ASCII': [known.replace('{ pos', '{ #\xc3\xa9\\n pos'), 1],
  'other spaces': [`${known} `, 1],
  'an unsupported chain': [known.replace('[324,10]', '[324,5]'), 0],
  'chains in another order': [known.replace('[324,10]', '[10,324]'), 1],
  'a rejected query': [known.replace('{ positionInfos { id } }', '{ a(first: 100001) { id } }'), 0],
  'a mutation': [known.replace('{ positionInfos', 'mutation { positionInfos'), 0],
}

const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`

describe('the fast path and the framework answer alike', () => {
  test.for(Object.entries(cases))('behavior: %s', async ([, [parts, fromFastPath]]) => {
    const before = prebuiltSent
    const answers = await readFrom(fast, parts())
    const sent = prebuiltSent - before
    expect(answers).toEqual(await readFrom(plain, parts()))
    expect(answers.length).toBeGreaterThan(0)
    if (fromFastPath !== undefined) expect(sent).toBe(fromFastPath)
  })

  test.for(Object.entries(bodies))('behavior: %s, four times', async ([, [body, fromFastPath]]) => {
    const sent: number[] = []
    for (let round = 0; round < 4; round += 1) {
      const before = prebuiltSent
      const answers = await readFrom(fast, [post({ body })])
      sent.push(prebuiltSent - before)
      expect(answers).toEqual(await readFrom(plain, [post({ body })]))
    }
    expect([sent[0], sent[1], sent.at(-1)]).toEqual([0, 0, fromFastPath])
  })

  test('behavior: a client that disconnects within a body', async () => {
    const answersOf = async (service: TestService) => {
      const { port } = new URL(service.baseUrl)
      const socket = connect({ port: Number(port), host: '127.0.0.1', ca: service.ca })
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk))
      socket.end(post() + post().slice(0, -5))
      await once(socket, 'close')
      return readAnswers(Buffer.concat(chunks).toString('latin1'))
    }
    expect(await answersOf(fast)).toEqual(await answersOf(plain))
  })

  test('behavior: a request that arrives during shutdown', async () => {
    const answersOf = async (writer: PrebuiltWriter) => {
      const service = await startWith(writer)
      await readFrom(service, [post(), post()])
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      fakes[0]?.behave(async ({ answerWell }) => {
        await held
        answerWell()
      })
      const asked = fakes[0]?.queries().length ?? 0
      const socket = connect({ port: Number(new URL(service.baseUrl).port), host: '127.0.0.1', ca: service.ca })
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk))
      const closed = once(socket, 'close')
      socket.write(post({ body: known.replace('id }', `id # ${asked}\\n }`) }))
      await expect.poll(() => fakes[0]?.queries().length).toBe(asked + 1)
      const stopped = service.stop()
      await expect
        .poll(() => sendRequest(service.baseUrl, { agent: new Agent() }).catch(({ code }) => code))
        .toBe('ECONNREFUSED')
      socket.write(post())
      await service.admin('/readyz')
      release()
      fakes[0]?.behave(undefined)
      await Promise.all([closed, stopped])
      return readAnswers(Buffer.concat(chunks).toString('latin1'))
    }
    const answers = await answersOf(counting)
    expect(answers).toEqual(await answersOf(failing))
    expect(answers.at(-1)?.head).toContain('connection: close')
  })

  test('behavior: both record the same metrics', async () => {
    const families =
      /^(tallystick_(?:data_cache_total|http_requests_total|http_request_duration_seconds_count)\S*) (\d+)$/
    const countsOf = async (service: TestService) => {
      const lines = (await service.admin('/metrics')).body.split('\n').flatMap((line) => [families.exec(line) ?? []])
      return new Map(lines.flatMap(([, series, count]) => (series ? [[series, Number(count)] as const] : [])))
    }
    const changesOf = async (service: TestService) => {
      const before = await countsOf(service)
      await readFrom(service, [post() + post() + post({ key: 'nothing' }) + getNotes()])
      const after = await countsOf(service)
      const changes = [...after].map(([series, count]) => [series, count - (before.get(series) ?? 0)] as const)
      return changes.filter(([, change]) => change > 0).sort()
    }
    const changes = await changesOf(fast)
    expect(changes).toEqual(await changesOf(plain))
    expect(changes).toContainEqual(['tallystick_http_requests_total{route="/data",status="200"}', 3])
    expect(changes).toContainEqual(['tallystick_data_cache_total{chain="10",result="hit"}', 3])
  })
})

describe('an answer of the fast path', () => {
  const headOf = async () => {
    const before = prebuiltSent
    const { headers } = await fast.call('/data', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': keys.unlimited },
      body: known,
    })
    return [headers['x-tallystick-chains'], headers.date, prebuiltSent - before]
  }

  test('behavior: has the current lag and date', async () => {
    for (const second of [1, 2]) {
      fast.clock.hold(at + second * 1000)
      const lag = 7 + second
      const date = `Sun, 15 Nov 2026 17:00:0${second} GMT`
      expect(await headOf()).toEqual([
        `324;block=324;lag=${lag};source=remote, 10;block=10;lag=${lag};source=remote`,
        date,
        0,
      ])
      expect(await headOf()).toEqual([
        `324;block=324;lag=${lag};source=remote, 10;block=10;lag=${lag};source=remote`,
        date,
        1,
      ])
    }
    fast.clock.hold(at)
  })

  test('behavior: is not used after a new block', async () => {
    await headOf()
    expect(await headOf()).toMatchObject([expect.stringContaining('10;block=10;'), expect.anything(), 1])
    fakes[1]?.setHead(headAt(11, at / 1000 - 1.5))
    // Another query is sent to the chain, whose answer has the new block.
    await readFrom(fast, [last({ body: JSON.stringify({ query: '{ pools { id } }', variables: { chains: [10] } }) })])
    expect(await headOf()).toMatchObject([expect.stringContaining('10;block=11;lag=1'), expect.anything(), 0])
  })

  test('behavior: counts as a use of its key', async () => {
    const { id, secret } = await createKey(fast)
    await readFrom(fast, [post(), post()])
    const before = prebuiltSent
    await readFrom(fast, [post({ key: secret }), last()])
    expect(prebuiltSent - before).toBe(1)
    const { body } = await fast.admin('/metrics')
    expect(body).toContain(`tallystick_key_requests_total{key="${id}",endpoint="data"} 1\n`)
    // Uses are stored when the service stops, at the latest.
    await fast.stop()
    const database = await openDatabase(fastUrl)
    onTestFinished(() => database.close())
    const key = (await listKeys(database)).find((listed) => listed.id === id)
    expect(key?.lastUsedAt).toBe(BigInt(Date.parse('2026-11-15T17:00:00Z') / 1000))
  })
})
