// @module-tag server

import { once } from 'node:events'
import { connect as connectHttp2, constants, type IncomingHttpHeaders } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { errorBodySchema } from '@tallystick/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startFakeSubgraph } from './fake-subgraph.ts'
import { adminToken, chain324, createDeferrals, createKey, newDatabase, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
const at = '2026-11-15T12:00:00.5-05:00'
const dataBody = JSON.stringify({ query: '{ _meta { block { number } } }', variables: { chains: [324] } })
let service: TestService
let proxied: TestService
let key: string

beforeAll(async () => {
  const databaseUrl = await newDatabase('postgres', defer)
  const subgraph = await startFakeSubgraph({}, defer)
  const chains = [{ ...chain324, subgraph: { urls: [subgraph.url] } }]
  service = await start({ databaseUrl, at, config: { chains, data: { pollMs: 60_000 } } }, defer)
  const listen = { host: '127.0.0.1', port: 0, proxy: { trust: ['127.0.0.1'] } }
  proxied = await start({ databaseUrl, at, config: { listen } }, defer)
  key = (await createKey(service)).secret
  return finish
})

/** Request of each listener that gets a 200, without its `Host` line. */
const listeners = {
  'the public listener': () => ({
    socket: connectTls({ port: portOf(service.baseUrl), host: '127.0.0.1', ca: service.ca }),
    path: '/notes',
    lines: [`x-api-key: ${key}`],
  }),
  'the public listener behind a proxy': () => ({
    socket: connect(portOf(proxied.baseUrl), '127.0.0.1'),
    path: '/notes',
    lines: [`x-api-key: ${key}`, 'x-forwarded-proto: https'],
  }),
  'the admin listener': () => ({
    socket: connect(portOf(service.adminUrl), '127.0.0.1'),
    path: '/healthz',
    lines: [`authorization: Bearer ${adminToken}`],
  }),
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

async function exchange(socket: Socket, bytes: string) {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.write(bytes)
  await once(socket, 'close')
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body }
}

describe.each(Object.entries(listeners))('on %s', (_, ask) => {
  const send = ({
    hosts,
    version = '1.1',
    origin = '',
  }: {
    readonly hosts: readonly string[]
    readonly version?: string
    readonly origin?: string
  }) => {
    const { socket, path, lines } = ask()
    const head = [`GET ${origin}${path} HTTP/${version}`, ...hosts, ...lines, 'connection: close', '', '']
    return exchange(socket, head.join('\r\n'))
  }

  test.each([
    ['none', []],
    ['two', ['host: localhost', 'host: localhost']],
    ['two in other letters', ['Host: localhost', 'HOST: elsewhere']],
    ['an empty one', ['host:']],
    ['an empty one and another', ['host:', 'host: localhost']],
    ['a user in it', ['host: ann@localhost']],
    ['a path in it', ['host: localhost/notes']],
    ['two names in it', ['host: localhost, elsewhere']],
    ['a port that is none', ['host: localhost:x']],
  ])('error: HTTP/1.1 with %s is a 400, and the connection is closed', async (__, hosts) => {
    const { status, head, body } = await send({ hosts })
    expect(status).toBe(400)
    const { code, requestId } = errorBodySchema.parse(JSON.parse(body))
    expect(code).toBe('invalid_request')
    expect(head).toContain(`x-request-id: ${requestId}`)
    expect(head).toContain('connection: close')
  })

  test.each(['localhost', 'LOCALHOST:8443', '127.0.0.1:1', '[::1]', '[::1]:8443', 'a_b.example.', 'localhost:'])(
    'default: Host %s is accepted',
    async (host) => {
      expect((await send({ hosts: [`Host: ${host}`] })).status).toBe(200)
    },
  )

  test('behavior: HTTP/1.0 may omit Host, and may not repeat it', async () => {
    expect((await send({ version: '1.0', hosts: [] })).status).toBe(200)
    expect((await send({ version: '1.0', hosts: ['host: localhost'] })).status).toBe(200)
    expect((await send({ version: '1.0', hosts: ['host: localhost', 'host: localhost'] })).status).toBe(400)
  })

  test('behavior: the absolute form of a target does not replace Host', async () => {
    const origin = 'https://localhost'
    expect((await send({ origin, hosts: ['host: localhost'] })).status).toBe(200)
    expect((await send({ origin, hosts: [] })).status).toBe(400)
    expect((await send({ origin, hosts: ['host: localhost', 'host: localhost'] })).status).toBe(400)
  })
})

describe('on the fast path', () => {
  /** Sends requests over one connection, the last of them with the given lines. */
  const last = async (request: (lines: readonly string[]) => string, lines: readonly string[]) => {
    const socket = connectTls({ port: portOf(service.baseUrl), host: '127.0.0.1', ca: service.ca })
    const known = request(['host: localhost'])
    const statuses: number[] = []
    let body = ''
    socket.on('data', (chunk) => {
      body = String(chunk)
      statuses.push(...[...body.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)))
    })
    for (const count of [1, 2, 3]) {
      socket.write(known)
      await expect.poll(() => statuses.length).toBe(count)
    }
    socket.write(request(lines))
    await expect.poll(() => statuses.length).toBe(4)
    socket.destroy()
    return { statuses, body }
  }
  const notes = (lines: readonly string[]) =>
    ['GET /notes HTTP/1.1', ...lines, `x-api-key: ${key}`, '', ''].join('\r\n')
  const data = (lines: readonly string[]) => {
    const own = [`x-api-key: ${key}`, 'content-type: application/json', `content-length: ${dataBody.length}`]
    return ['POST /data HTTP/1.1', ...lines, ...own, '', dataBody].join('\r\n')
  }

  describe.each([
    ['notes', notes],
    ['data', data],
  ] as const)('%s', (_, request) => {
    test.each([
      ['none', []],
      ['two', ['host: localhost', 'Host: localhost']],
      ['an empty one', ['host: ']],
    ])('error: %s is a 400', async (__, lines) => {
      const { statuses, body } = await last(request, lines)
      expect(statuses).toEqual([200, 200, 200, 400])
      expect(body).toContain('"code":"invalid_request"')
    })
  })
})

describe('over HTTP/2', () => {
  const ask = async (headers: object): Promise<{ status?: number; code?: string }> => {
    const session = connectHttp2(service.baseUrl, { ca: service.ca })
    try {
      const stream = session.request({ ':path': '/notes', 'x-api-key': key, ...headers })
      const chunks: Buffer[] = []
      stream.on('data', (chunk) => chunks.push(chunk))
      const [[answer]] = (await Promise.all([once(stream, 'response'), once(stream, 'end')])) as [
        [IncomingHttpHeaders],
        [],
      ]
      const status = Number(answer[constants.HTTP2_HEADER_STATUS])
      return { status, code: JSON.parse(Buffer.concat(chunks).toString()).code }
    } catch (error) {
      return { code: (error as NodeJS.ErrnoException).message }
    } finally {
      session.destroy()
    }
  }

  test.each([
    ['the authority', {}],
    ['the authority and the same host', { ':authority': 'localhost:1', host: 'LOCALHOST:1' }],
  ])('default: %s is accepted', async (_, headers) => {
    expect((await ask(headers)).status).toBe(200)
  })

  const refused = { status: 400, code: 'invalid_request' }

  test('error: another host than the authority is a 400', async () => {
    expect(await ask({ ':authority': 'localhost', host: 'elsewhere' })).toEqual(refused)
  })

  test('error: an invalid authority is a 400, or ends its stream if a newer nghttp2 refuses it first', async () => {
    const reset = { code: 'Stream closed with error code NGHTTP2_PROTOCOL_ERROR' }
    expect([refused, reset]).toContainEqual(await ask({ ':authority': 'ann@localhost' }))
  })
})
