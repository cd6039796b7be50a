// @module-tag server

import { once } from 'node:events'
import { connect } from 'node:tls'
import { notesResponseSchema } from '@tallystick/core'
import { appendEvents, eventRetentionSeconds, eventsChannel } from '@tallystick/notify'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { atMost } from '../../base/test/test-time.ts'
import { openHttp2Stream, openStream, type TestStream } from './event-client.ts'
import {
  chain324,
  createDeferrals,
  createKey,
  newDatabase,
  pool,
  secureContext,
  start,
  type TestService,
} from './harness.ts'

const { defer, finish } = createDeferrals()
const at = '2026-11-15T12:00:00-05:00'
const createdAt = BigInt(Date.parse(at) / 1000)
const ownTls = { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' } }
const chains = [chain324, { id: 10, name: 'another', pool }]
let service: TestService
let key: string

beforeAll(async () => {
  const listen = { ...ownTls, eventStreamsPerKey: 3 }
  const config = { chains, listen }
  const time = { waits: { heartbeat: atMost(100) } }
  service = await start({ databaseUrl: await newDatabase('postgres', defer), at, config, time }, defer)
  key = (await createKey(service)).secret
  // The events of the notes on offer, which every service appends at its start.
  await vi.waitUntil(async () => (await service.database.query('select 1 from events')).length === 2, waitOptions)
  return finish
})

let count = 0
/** Appends an event of no meaning. */
async function append({
  type = 'status',
  chainId = 324,
  data = '{}',
}: {
  type?: 'notes' | 'rate' | 'status'
  chainId?: number
  data?: string
} = {}) {
  const [event] = await appendEvents(service.database, [
    { type, chainId, data: data === '{}' ? `{"n":${++count}}` : data, createdAt },
  ])
  if (!event) throw new Error('not appended')
  return { ...event, wireId: `${event.id}-${event.tag}`, n: count }
}
/** Appends events by turns of the two chains, and returns the chain of each. */
async function appendMany(length: number): Promise<readonly number[]> {
  await service.database.query(
    `insert into events (type, chain_id, data, created_at)
     select 'status', case n % 2 when 0 then 324 else 10 end, format('{"n":"many %s"}', n), $1::bigint
     from generate_series(0, $2::int - 1) n`,
    [createdAt, length],
  )
  await service.database.notify(eventsChannel)
  return Array.from({ length }, (_, index) => (index % 2 === 0 ? 324 : 10))
}
const open = (path: string, options: { key?: string; lastEventId?: string } = {}) =>
  openStream(service, path, { key, ...options })
const numbers = (stream: TestStream) => stream.events().map(({ data }) => data.n)
const metric = async (name: string) => {
  const line = (await service.admin('/metrics')).body.split('\n').find((text) => text.startsWith(`${name} `))
  return Number(line?.split(' ')[1])
}

describe('the stream', () => {
  test('default: headers, a greeting with an id, events, and heartbeats that move the id on', async () => {
    // The service reads the first events shortly after they are stored.
    const early = await open('/events')
    await expect.poll(early.lastId).toMatch(/^2-/)
    const stream = await open('/events')
    expect(stream.status).toBe(200)
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
      'strict-transport-security': expect.any(String),
    })
    expect(stream.headers['content-encoding']).toBeUndefined()
    await expect.poll(stream.text).toMatch(/^: connected\nretry: 2000\nid: \d+-[0-9a-f]{8}\n\n/)
    const status = await append()
    await expect.poll(stream.events).toEqual([{ id: status.wireId, event: 'status', data: { n: status.n } }])
    await expect.poll(stream.text).toContain(`: heartbeat\nid: ${status.wireId}\n\n`)
  })

  test('behavior: HTTP/2 has the same events', async () => {
    const stream = await openHttp2Stream(service, '/events?types=status', { key })
    expect(stream.headers).toMatchObject({ ':status': 200, 'content-type': 'text/event-stream; charset=utf-8' })
    expect(stream.headers['connection']).toBeUndefined()
    await expect.poll(stream.text).toMatch(/^: connected/)
    const { n } = await append()
    await expect.poll(() => numbers(stream)).toEqual([n])
    await expect.poll(stream.text).toContain(': heartbeat')
  })

  test('behavior: filters by type and chain', async () => {
    const streams = await Promise.all(
      ['/events?types=rate', '/events?types=status,rate&chainid=10', '/events?chainid=324'].map((path) => open(path)),
    )
    const sent = [
      await append({ type: 'rate' }),
      await append({ type: 'status', chainId: 10 }),
      await append({ type: 'rate', chainId: 10 }),
      await append({ type: 'status' }),
    ].map(({ n }) => n)
    const expected = [
      [sent[0], sent[2]],
      [sent[1], sent[2]],
      [sent[0], sent[3]],
    ]
    await expect.poll(() => streams.map(numbers)).toEqual(expected)
  })

  test('behavior: HEAD returns the headers at once', async () => {
    const answer = await service.call('/events', { method: 'HEAD', headers: { 'x-api-key': key } })
    expect([answer.status, answer.body, answer.headers['content-type']]).toEqual([
      200,
      '',
      'text/event-stream; charset=utf-8',
    ])
  })

  test('behavior: many streams at once receive every event once, in order, while others come and go', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => createKey(service)))
    const streams = await Promise.all(
      keys.flatMap(({ secret }) => [1, 2, 3].map(() => open('/events', { key: secret }))),
    )
    const first = await append()
    streams.at(0)?.close()
    const late = open('/events?types=status')
    const rest = [await append(), await append()]
    const expected = [first, ...rest].map(({ n }) => n)
    await expect.poll(() => streams.slice(1).map(numbers)).toEqual(streams.slice(1).map(() => expected))
    expect(expected.join()).toContain(numbers(await late).join())
  })
})

describe('parameters', () => {
  test.each([
    ['/events?types=', 'invalid_parameter'],
    ['/events?types=note', 'invalid_parameter'],
    ['/events?types=notes,', 'invalid_parameter'],
    ['/events?types=notes&types=rate', 'invalid_parameter'],
    ['/events?Types=notes', 'invalid_parameter'],
    ['/events?chainid=325', 'invalid_chainid'],
    ['/events?chainid=', 'invalid_chainid'],
    ['/events?lastEventId=12', 'invalid_parameter'],
    [`/events?lastEventId=${'9'.repeat(19)}-00000000`, 'invalid_parameter'],
    ['/events?lastEventId=1-0&lastEventId=1-0', 'invalid_parameter'],
  ])('error: %s is %s', async (path, code) => {
    const answer = await service.call(path, { headers: { 'x-api-key': key } })
    expect([answer.status, answer.json().code]).toEqual([400, code])
  })

  test('error: a bad Last-Event-ID is 400, and an empty one is none', async () => {
    const bad = await service.call('/events', { headers: { 'x-api-key': key, 'last-event-id': '\u00e9 or 1=1' } })
    expect([bad.status, bad.json().code]).toEqual([400, 'invalid_parameter'])
    const stream = await open('/events?lastEventId=')
    await expect.poll(stream.text).toMatch(/^: connected/)
    expect(stream.events()).toEqual([])
  })

  test('error: an Accept header without text/event-stream is 406, and POST is 405', async () => {
    const json = await service.call('/events', { headers: { 'x-api-key': key, accept: 'application/json' } })
    expect([json.status, json.json().message]).toEqual([406, expect.stringContaining('text/event-stream')])
    const posted = await service.call('/events', { method: 'POST', headers: { 'x-api-key': key } })
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD'])
  })
})

describe('keys', () => {
  test('error: no key and a bad key are 403, whatever the parameters', async () => {
    for (const headers of [{}, { 'x-api-key': 'x' }]) {
      const answer = await service.call('/events?types=x', { headers })
      expect([answer.status, answer.json().code]).toEqual([403, 'invalid_api_key'])
    }
  })

  test('behavior: each type needs its scope, and by default a key receives what it may', async () => {
    const cases = [
      [['notes'], '/events?types=rate', 'rate'],
      [['notes'], '/events?types=notes,status', 'rate'],
      [['rate'], '/events?types=status,notes', 'notes'],
      [['data'], '/events', 'notes'],
    ] as const
    for (const [scopes, path, scope] of cases) {
      const { secret } = await createKey(service, { scopes })
      const answer = await service.call(path, { headers: { 'x-api-key': secret } })
      expect([answer.status, answer.json()]).toMatchObject([403, { code: 'insufficient_scope', details: { scope } }])
    }
    const { secret } = await createKey(service, { scopes: ['notes'] })
    const stream = await open('/events', { key: secret })
    await append({ type: 'rate' })
    const notes = await append({ type: 'notes' })
    await expect.poll(() => numbers(stream)).toEqual([notes.n])
  })

  test('error: one stream more than a key may have is 429, until one is closed', async () => {
    const { secret } = await createKey(service)
    const streams = await Promise.all([1, 2, 3].map(() => open('/events', { key: secret })))
    const refused = await service.call('/events', { headers: { 'x-api-key': secret } })
    expect([refused.status, refused.headers['retry-after'], refused.json()]).toMatchObject([
      429,
      '5',
      { code: 'too_many_streams', message: expect.stringContaining('3 streams open') },
    ])
    // A request that opens no stream takes no place.
    expect((await service.call('/events', { method: 'HEAD', headers: { 'x-api-key': secret } })).status).toBe(200)
    streams[0]?.close()
    await expect.poll(async () => (await open('/events', { key: secret })).status).toBe(200)
  })

  test('behavior: revoking a key ends its streams and no other', async () => {
    const revoked = await createKey(service)
    const streams = [await open('/events', { key: revoked.secret }), await open('/events', { key: revoked.secret })]
    const other = await open('/events')
    const before = await metric('tallystick_event_streams_ended_total{reason="key"}')
    await service.operator.revokeKey(revoked.id)
    await Promise.all(streams.map(({ ended }) => ended))
    expect(other.isEnded()).toBe(false)
    expect(await metric('tallystick_event_streams_ended_total{reason="key"}')).toBe(before + 2)
    expect((await open('/events', { key: revoked.secret })).status).toBe(403)
  })

  test('behavior: a rotated secret ends its streams when its grace is over, and those of the new one go on', async () => {
    const { id, secret } = await createKey(service)
    const old = await open('/events', { key: secret })
    const rotated = await service.admin(`/keys/${id}/rotate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ graceSeconds: 0 }),
    })
    const fresh = await open('/events', { key: rotated.json().secret })
    await old.ended
    expect(fresh.isEnded()).toBe(false)
  })
})

describe('resume', () => {
  test('default: continues after the last event without loss or repetition, by header or query', async () => {
    const stream = await open('/events')
    await expect.poll(stream.lastId).toBeDefined()
    const greeted = stream.lastId() as string
    stream.close()
    const missed = [await append(), await append({ type: 'rate' }), await append({ chainId: 10 })]
    const resumed = await open('/events', { lastEventId: greeted })
    await expect.poll(() => numbers(resumed)).toEqual(missed.map(({ n }) => n))
    const again = await open(`/events?lastEventId=${missed[0]?.wireId}&types=status`)
    await expect.poll(() => numbers(again)).toEqual([missed[2]?.n])
    // The header is the newer one.
    const both = await open(`/events?lastEventId=${greeted}`, { lastEventId: missed[1]?.wireId as string })
    await expect.poll(() => numbers(both)).toEqual([missed[2]?.n])
    const next = await append()
    await expect.poll(() => [resumed, again, both].map((one) => numbers(one).at(-1))).toEqual([next.n, next.n, next.n])
  })

  test('behavior: more events than are in memory are read from the database, in pages', async () => {
    const first = await append()
    const chainIds = await appendMany(420)
    const resumed = await open('/events?chainid=10', { lastEventId: first.wireId })
    const live = append({ chainId: 10 })
    const expected = chainIds.flatMap((chainId, index) => (chainId === 10 ? [`many ${index}`] : []))
    const { n } = await live
    await expect.poll(() => numbers(resumed)).toEqual([...expected, n])
  })

  test.each([
    ['of another history', ({ id }: { id: bigint }) => `${id}-00000000`],
    ['that does not exist yet', ({ id }: { id: bigint }) => `${id + 1_000n}-00000000`],
    ['that is 0 with a tag', () => '0-00000000'],
  ])('error: an id %s gets a reset first', async (_, idOf) => {
    const last = await append()
    const stream = await open('/events', { lastEventId: idOf(last) })
    const reset = { event: 'reset', data: { message: expect.stringContaining('GET /notes') } }
    await expect.poll(() => stream.events()[0]).toMatchObject(reset)
    const { n } = await append()
    await expect.poll(() => numbers(stream).at(-1)).toBe(n)
  })

  test('behavior: a client that was greeted before the first event gets all events', async () => {
    const stream = await open('/events', { lastEventId: '0-0' })
    const ids = async () => {
      const rows = await service.database.query<{ id: bigint; tag: string }>('select id, tag from events order by id')
      return rows.map(({ id, tag }) => `${id}-${tag}`)
    }
    const expected = await ids()
    expect(expected[0]).toMatch(/^1-/)
    await expect.poll(() => stream.events().map(({ id }) => id)).toEqual(expected)
  })

  test('error: an id older than three days gets a reset, though its event is kept as the newest of its kind', async () => {
    const seconds = (days: bigint) => createdAt - days * 86_400n
    const [old, edge] = await appendEvents(service.database, [
      { type: 'rate', chainId: 10, data: '{}', createdAt: seconds(3n) - 1n },
      { type: 'status', chainId: 10, data: '{}', createdAt: seconds(3n) },
    ])
    // Out of memory.
    await appendMany(512)
    const stale = await open('/events?types=rate', { lastEventId: `${old?.id}-${old?.tag}` })
    await expect.poll(() => stale.events()[0]?.event).toBe('reset')
    const good = await open('/events?types=status&chainid=10', { lastEventId: `${edge?.id}-${edge?.tag}` })
    await expect.poll(() => good.events().length).toBe(256)
    expect(good.events()[0]?.event).toBe('status')
    expect(3n * 86_400n).toBeLessThan(eventRetentionSeconds)
  })
})

test('error: a client that does not read is cut, and the others are not', async () => {
  const reader = await open('/events?types=rate')
  const { port } = new URL(service.baseUrl)
  const socket = connect({ port: Number(port), host: '127.0.0.1', secureContext })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  const before = await metric('tallystick_event_streams_ended_total{reason="slow"}')
  socket.write(`GET /events?types=rate HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n\r\n`)
  await once(socket, 'readable')
  const data = JSON.stringify({ n: 'x'.repeat(500_000) })
  let sent = 0
  const isCut = async () => (await metric('tallystick_event_streams_ended_total{reason="slow"}')) > before
  while (!(await isCut())) {
    await append({ type: 'rate', data })
    await expect.poll(() => reader.events().length).toBe(++sent)
  }
  expect(reader.isEnded()).toBe(false)
  // Whatever the kernel buffers, it is not the service that does.
  expect(sent).toBeLessThan(60)
})

test('error: a client that does not read its HTTP/2 stream is cut', async () => {
  const stream = await openHttp2Stream(service, '/events?types=rate', { key })
  const before = await metric('tallystick_event_streams_ended_total{reason="slow"}')
  await expect.poll(stream.text).toMatch(/^: connected/)
  stream.body.pause()
  const data = JSON.stringify({ n: 'x'.repeat(500_000) })
  const isCut = async () => (await metric('tallystick_event_streams_ended_total{reason="slow"}')) > before
  for (let sent = 0; !(await isCut()); sent++) {
    expect(sent).toBeLessThan(60)
    await append({ type: 'rate', data })
  }
})

test('behavior: a restored backup resets the streams, and its new events reach them', { tags: 'slow' }, async () => {
  const own = await start({ databaseUrl: await newDatabase(), at })
  const { secret } = await createKey(own)
  const event = (n: number) => ({ type: 'status' as const, chainId: 324, data: `{"n":${n}}`, createdAt })
  const stream = await openStream(own, '/events?types=status', { key: secret })
  await appendEvents(own.database, [event(1), event(2), event(3)])
  await expect.poll(() => numbers(stream)).toEqual([1, 2, 3])
  const lastId = stream.lastId() as string
  // A backup from before the last two events, whose ids are then used again.
  await own.database.query(`delete from events where data in ('{"n":2}', '{"n":3}')`)
  const [first] = await own.database.query<{ id: bigint }>('select max(id) as id from events')
  await own.database.query(`alter table events alter column id restart with ${(first?.id ?? 0n) + 1n}`)
  await expect.poll(() => stream.events().at(-1)?.event).toBe('reset')
  await appendEvents(own.database, [event(4), event(5), event(6)])
  await expect.poll(() => numbers(stream)).toEqual([1, 2, 3, undefined, 4, 5, 6])
  const resumed = await openStream(own, '/events?types=status', { key: secret, lastEventId: lastId })
  await expect.poll(() => resumed.events().map(({ event }) => event)).toEqual(['reset'])
})

test('behavior: notes arrive at the first millisecond of their period and never before, as the body of /notes', async () => {
  const boundaryMs = Date.parse('2026-11-15T18:00:00-05:00')
  const own = await start({ databaseUrl: await newDatabase(), at: new Date(boundaryMs - 1).toISOString() })
  const { secret } = await createKey(own)
  const stream = await openStream(own, '/events?types=notes', { key: secret })
  const rows = () => own.database.query<{ data: string }>(`select data from events where type = 'notes' order by id`)
  // The current period's, which an earlier process may have missed.
  await expect.poll(async () => (await rows()).length).toBe(1)
  own.clock.hold(boundaryMs)
  await expect.poll(() => stream.events().at(-1)?.data.message).toContain('18:00 to 24:00')
  const served = await own.call('/notes?chainid=324', { headers: { 'x-api-key': secret } })
  const [, data = ''] = /data: (.*)\n\n$/.exec(stream.text().split(': heartbeat')[0] as string) ?? []
  expect(data).toBe(served.body)
  expect(notesResponseSchema.parse(JSON.parse(data)).data).toHaveLength(3)
  // A clock that goes back and forth adds nothing.
  own.clock.hold(boundaryMs - 1)
  await own.call('/notes', { headers: { 'x-api-key': secret } })
  own.clock.hold(boundaryMs + 5_000)
  await own.call('/notes', { headers: { 'x-api-key': secret } })
  expect((await rows()).map(({ data }) => JSON.parse(data).message)).toEqual([
    'Treasury notes of 2026-11-15, 00:00 to 18:00 New York.',
    'Treasury notes of 2026-11-15, 18:00 to 24:00 New York.',
  ])
})

test('behavior: when the service stops, its streams end at once and new ones are refused', async () => {
  const listen = { ...ownTls, lameDuckSeconds: 5 }
  const own = await start({ databaseUrl: await newDatabase(), at, config: { listen }, time: { held: ['lame duck'] } })
  const { secret } = await createKey(own)
  const streams = [
    await openStream(own, '/events', { key: secret }),
    await openHttp2Stream(own, '/events', { key: secret }),
  ]
  const stopped = own.stop()
  await Promise.all(streams.map(({ ended }) => ended))
  const refused = await own.call('/events', { headers: { 'x-api-key': secret } })
  expect([refused.status, refused.json().code, refused.headers['retry-after']]).toEqual([503, 'not_ready', '5'])
  own.clock.release('lame duck')
  await stopped
})
