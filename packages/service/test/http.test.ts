import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect as connectHttp2, constants } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { errorBodySchema, type Finding } from '@tallystick/core'
import { createTlsServer } from '@tallystick/http'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { sendRequest } from '@tallystick/workbench/send-request'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { atMost } from '../../base/test/test-time.ts'
import { startFakeSubgraph, toQueries } from './fake-subgraph.ts'
import { chain324, createDeferrals, createKey, newDatabase, start, type TestService } from './harness.ts'

const noon = '2026-11-15T12:00:00-05:00'
const portOf = (service: Pick<TestService, 'baseUrl'>) => Number(new URL(service.baseUrl).port)

/** Starts a service that the tests of a `describe` share. */
function shareService(config: Readonly<Record<string, unknown>> = {}): () => TestService {
  let service: TestService
  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    service = await start({ databaseUrl: await newDatabase('postgres', defer), at: noon, config }, defer)
    return finish
  })
  return () => service
}

async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

async function tlsTo(service: TestService, options: object = {}): Promise<TLSSocket> {
  const socket = connectTls({ port: portOf(service), host: '127.0.0.1', ca: service.ca, ...options })
  await once(socket, 'secureConnect')
  return socket
}

describe('plain HTTP on the TLS port', () => {
  const shared = shareService()

  test('error: a raw request gets one well-formed 403 and a closed connection', async () => {
    const service = shared()
    const countPlain = async () =>
      Number(/^tallystick_plain_http_total (\d+)$/m.exec((await service.admin('/metrics')).body)?.[1])
    const before = await countPlain()
    const socket = connect(portOf(service), '127.0.0.1')
    socket.write('GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: whatever\r\n\r\n')
    const answer = await readAll(socket)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    const [statusLine, ...headers] = head.split('\r\n')
    expect(statusLine).toBe('HTTP/1.1 403 Forbidden')
    expect(headers).toContain('connection: close')
    expect(headers).toContain('content-type: application/json; charset=utf-8')
    expect(headers).toContain(`content-length: ${Buffer.byteLength(body)}`)
    expect(headers).toContain('date: Sun, 15 Nov 2026 17:00:00 GMT')
    const parsed = errorBodySchema.parse(JSON.parse(body))
    expect(parsed.code).toBe('https_required')
    expect(headers).toContain(`x-request-id: ${parsed.requestId}`)
    expect(head.toLowerCase()).not.toMatch(/location|strict-transport/)
    expect(await countPlain()).toBe(before + 1)
  })

  test('error: an HTTP client parses the response, also to a large body or HEAD', async () => {
    const service = shared()
    const url = `http://127.0.0.1:${portOf(service)}/data`
    const posted = await sendRequest(url, { method: 'POST', body: 'x'.repeat(1_000_000) })
    expect([posted.status, posted.json().code]).toEqual([403, 'https_required'])
    const head = await sendRequest(url, { method: 'HEAD' })
    expect([head.status, head.body]).toEqual([403, ''])
    expect((await fetch(url)).status).toBe(403)
  })

  test('error: bytes that are neither TLS nor HTTP get the same response, and the port keeps serving', async () => {
    const service = shared()
    for (const bytes of [
      '\0',
      'SSH-2.0-x\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\xff'.repeat(100_000),
      '\x15\x03\x01',
    ]) {
      const socket = connect(portOf(service), '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(Buffer.from(bytes, 'latin1'))
      expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 403/)
    }
    const broken = connect(portOf(service), '127.0.0.1')
    broken.on('error', () => undefined)
    broken.end(Buffer.concat([Buffer.of(0x16), Buffer.alloc(500, 7)]))
    await readAll(broken)
    const { secret } = await createKey(service)
    expect((await service.call('/notes', { headers: { 'x-api-key': secret } })).status).toBe(200)
  })
})

describe('TLS', () => {
  const shared = shareService()

  test('behavior: TLS 1.2 and 1.3 are accepted, 1.1 is not', async () => {
    const service = shared()
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await tlsTo(service, { minVersion: version, maxVersion: version })
      expect(socket.getProtocol()).toBe(version)
      socket.destroy()
    }
    const old = connectTls({
      port: portOf(service),
      host: '127.0.0.1',
      ca: service.ca,
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL@SECLEVEL=0',
    })
    await expect(once(old, 'secureConnect')).rejects.toThrow()
  })

  test('behavior: a new certificate is loaded without dropping connections; a pair that does not match is not loaded', async () => {
    const service = await start({
      databaseUrl: await newDatabase(),
      at: noon,
      time: { waits: { 'TLS files': atMost(50) } },
    })
    const { secret } = await createKey(service)
    const fingerprint = () =>
      tlsTo(service, { rejectUnauthorized: false }).then((socket) => {
        const { fingerprint256 } = socket.getPeerCertificate()
        socket.destroy()
        return fingerprint256
      })
    const old = await fingerprint()
    const next = createCertificateAuthority().issue(['localhost', '127.0.0.1'])
    writeFileSync(join(service.directory, 'cert.pem'), next.cert)
    await expect.poll(() => service.log()).toContain('do not match')
    expect(await fingerprint()).toBe(old)
    // Connected here, because the service waits only 10 s for the first request.
    const open = await tlsTo(service)
    writeFileSync(join(service.directory, 'key.pem'), next.key)
    await expect.poll(fingerprint).not.toBe(old)

    open.write(`GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${secret}\r\nconnection: close\r\n\r\n`)
    expect(await readAll(open)).toMatch(/^HTTP\/1\.1 200 OK/)
  })

  test('behavior: a connection without a complete request is closed', async () => {
    const { cert, key } = createCertificateAuthority().issue(['localhost'])
    const slow = { firstByte: 200, handshake: 200, headers: 200, request: 200, keepAlive: 200 }
    const timeouts = { ...slow, slowRequestCheck: 20 }
    const tls = createTlsServer({ cert, key, answerPlain: () => 'no', timeouts })
    // A stream with a response has ended. One that waits for the rest of a body has none.
    tls.server.on('request', (request, response) => {
      if (request.url !== '/slow') response.end('done')
    })
    tls.server.listen(0, '127.0.0.1')
    await once(tls.server, 'listening')
    onTestFinished(() => {
      tls.destroyConnections()
      tls.server.close()
    })
    const { port } = tls.server.address() as { port: number }
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
    session.on('error', () => undefined)
    const halfStream = session.request({ ':method': 'POST', ':path': '/slow' }, { endStream: false })
    halfStream.on('error', () => undefined)
    halfStream.write('1')
    await once(halfStream, 'close')
    expect(halfStream.rstCode).toBe(constants.NGHTTP2_CANCEL)
    session.destroy()
    await once(session, 'close')
    const silent = connect(port, '127.0.0.1')
    const halfHello = connect(port, '127.0.0.1')
    halfHello.write(Buffer.of(0x16, 3, 1, 2))
    const halfRequest = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    halfRequest.write('GET / HTTP/1.1\r\nhost: x\r\nx-slow: ')
    const halfBody = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    halfBody.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n1')
    const ends = [silent, halfHello, halfRequest, halfBody].map(async (socket) => {
      socket.on('error', () => undefined)
      socket.resume()
      await once(socket, 'close')
    })
    await Promise.all(ends)
    const count = () => new Promise((resolve) => tls.server.getConnections((_, open) => resolve(open)))
    await expect.poll(count).toBe(0)
  })

  test('error: oversized headers and malformed requests get a JSON error', async () => {
    const service = shared()
    const exchange = async (bytes: string) => {
      const socket = await tlsTo(service)
      socket.on('error', () => undefined)
      socket.write(bytes)
      const [head = '', body = ''] = (await readAll(socket)).split('\r\n\r\n')
      return [head.split('\r\n')[0], errorBodySchema.parse(JSON.parse(body)).code]
    }
    const large = `GET /notes HTTP/1.1\r\nhost: x\r\nx-large: ${'y'.repeat(20_000)}\r\n\r\n`
    expect(await exchange(large)).toEqual(['HTTP/1.1 431 Request Header Fields Too Large', 'headers_too_large'])
    expect(await exchange('NONSENSE\r\n\r\n')).toEqual(['HTTP/1.1 400 Bad Request', 'invalid_request'])
    expect(await exchange('GET /notes HTTP/1.1\r\nbad header\r\n\r\n')).toEqual([
      'HTTP/1.1 400 Bad Request',
      'invalid_request',
    ])
    const badPath = await exchange('GET /%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(badPath).toEqual(['HTTP/1.1 400 Bad Request', 'invalid_request'])
  })
})

describe('stopping', () => {
  /** Returns the status of /readyz and its check of the public listener. */
  const listenerOf = async (service: TestService) => {
    const { status, json } = await service.admin('/readyz')
    return [status, json().findings.find(({ subject }: Finding) => subject === 'public listener').severity]
  }

  test('behavior: pending requests are finished on HTTP/1.1 and HTTP/2; new connections are refused', async () => {
    const fake = await startFakeSubgraph()
    const config = { chains: [{ ...chain324, subgraph: { urls: [fake.url] } }], data: { timeoutMs: 60_000 } }
    const service = await start({ databaseUrl: await newDatabase(), at: noon, config })
    const { secret } = await createKey(service)
    const headers = { 'x-api-key': secret, 'content-type': 'application/json' }
    const queryOf = (first: number) =>
      JSON.stringify({ query: `{ pools(first: ${first}) { id } }`, variables: { chains: [324] } })
    // Requests are pending until the test lets the upstream answer.
    const answers: (() => void)[] = []
    fake.behave(toQueries(({ answerWell }) => answers.push(answerWell)))
    expect(await listenerOf(service)).toEqual([200, 'ok'])
    const idle = await tlsTo(service)
    const session = connectHttp2(service.baseUrl, { ca: service.ca })
    await once(session, 'connect')
    const first = service.call('/data', { method: 'POST', headers, body: queryOf(1) })
    const stream = session.request({ ':method': 'POST', ':path': '/data', ...headers })
    const second = once(stream, 'response')
    stream.end(queryOf(2))
    await expect.poll(() => answers.length).toBe(2)
    const stopped = service.stop()
    await once(idle, 'close')
    await expect(sendRequest(`${service.baseUrl}/notes`, { ca: service.ca })).rejects.toThrow('ECONNREFUSED')
    expect(await listenerOf(service)).toEqual([503, 'unready'])
    for (const answer of answers) answer()
    expect((await first).status).toBe(200)
    const [answer] = await second
    expect(answer[constants.HTTP2_HEADER_STATUS]).toBe(200)
    stream.resume()
    await stopped
    session.destroy()
  })
})

describe('behind a proxy', () => {
  const shared = shareService({ listen: { host: '127.0.0.1', port: 0, proxy: { trust: ['127.0.0.0/8'] } } })

  test('default: requests that reached the trusted proxy over https are served', async () => {
    const service = shared()
    const { secret } = await createKey(service)
    expect(service.baseUrl).toMatch(/^http:/)
    const headers = { 'x-api-key': secret, 'x-forwarded-proto': 'https' }
    expect((await sendRequest(`${service.baseUrl}/notes`, { headers })).status).toBe(200)
  })

  test.each([[undefined], ['http'], ['https,http'], ['http, https'], [''], ['wss']])(
    'error: x-forwarded-proto %j is a 403 and closes the connection',
    async (proto) => {
      const service = shared()
      const { secret } = await createKey(service)
      const headers: Record<string, string> = { 'x-api-key': secret }
      if (proto !== undefined) headers['x-forwarded-proto'] = proto
      const answer = await sendRequest(`${service.baseUrl}/notes`, { headers })
      expect([answer.status, answer.json().code]).toEqual([403, 'https_required'])
      expect(answer.headers.connection).toBe('close')
    },
  )

  test.each([
    ['203.0.113.7', 200],
    ['2001:db8::7', 200],
    ['2001:DB8:0:0:0:0:0:8', 200],
    ['::ffff:203.0.113.9', 200],
    ['198.51.100.1, 203.0.113.7', 200],
    ['203.0.113.7, 198.51.100.1', 403],
    ['2001:db9::7', 403],
    ['198.51.100.1', 403],
    ['203.0.113.7:4711', 200],
    ['[2001:db8::7]:4711', 200],
    ['198.51.100.1:4711', 403],
    ['203.0.113.7:port', 403],
    ['unknown', 403],
    ['', 403],
  ])(
    'behavior: the networks of a key are those of the client, with x-forwarded-for %j it is %d',
    async (from, status) => {
      const service = shared()
      const { secret } = await createKey(service, { allow: ['203.0.113.0/24', '2001:db8::/32'] })
      const headers = { 'x-api-key': secret, 'x-forwarded-proto': 'https', 'x-forwarded-for': from }
      expect((await sendRequest(`${service.baseUrl}/notes`, { headers })).status).toBe(status)
    },
  )

  test('error: the header of an untrusted address is ignored', async () => {
    const listen = { host: '127.0.0.1', port: 0, proxy: { trust: ['10.0.0.0/8', '::1', '192.168.1.7'] } }
    const service = await start({ databaseUrl: await newDatabase(), at: noon, config: { listen } })
    const { secret } = await createKey(service)
    const headers = { 'x-api-key': secret, 'x-forwarded-proto': 'https', 'x-forwarded-for': '10.0.0.1' }
    const answer = await sendRequest(`${service.baseUrl}/notes`, { headers })
    expect([answer.status, answer.json().code]).toEqual([403, 'https_required'])
  })
})
