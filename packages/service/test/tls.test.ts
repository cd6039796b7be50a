import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect as connectHttp2, constants } from 'node:http2'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { createMetrics, createTime } from '@tallystick/base'
import { createInstance, createTlsServer, openTls } from '@tallystick/http'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { sendRequest } from '@tallystick/workbench/send-request'
import { waitOptions } from '@tallystick/workbench/wait-options'
import pino from 'pino'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { atMost, createTestTime } from '../../base/test/test-time.ts'
import { metricHelp } from '../src/metric-help.ts'
import { createDeferrals, createKey, newDatabase, prepare, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
let service: TestService
let headers: Record<string, string>

beforeAll(async () => {
  service = await start({ databaseUrl: await newDatabase('postgres', defer), at: '2026-11-15T12:00:00-05:00' }, defer)
  headers = { 'x-api-key': (await createKey(service)).secret }
  return finish
})

/** Resolves to the negotiated parameters, or to the error's code. */
async function handshake(options: ConnectionOptions): Promise<string> {
  const { port } = new URL(service.baseUrl)
  const socket = connectTls({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false, ...options })
  try {
    await once(socket, 'secureConnect')
    return `${socket.getProtocol()} ${socket.getCipher().name}`
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  } finally {
    socket.destroy()
  }
}

/** Puts a certificate with another kind of key in the files and waits until the service uses it. */
async function useCertificate(keyType: 'ec' | 'rsa'): Promise<void> {
  if (keyType === 'ec') return
  const { cert, key } = createCertificateAuthority().issue(['localhost', '127.0.0.1'], { keyType })
  writeFileSync(join(service.directory, 'cert.pem'), cert)
  writeFileSync(join(service.directory, 'key.pem'), key)
  await vi.waitUntil(() => service.log().includes('TLS certificate changed'), waitOptions)
}

// The second name is that of Node 26.
const refused = /^ERR_SSL_(SSLV3|SSL\/TLS)_ALERT_HANDSHAKE_FAILURE$/
const tls12: ConnectionOptions = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }
const tls13: ConnectionOptions = { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' }

// In this order: the second certificate replaces the first one while the service runs.
describe.each(['ec', 'rsa'] as const)('key exchange with an %s certificate', (keyType) => {
  beforeAll(() => useCertificate(keyType))
  const kind = keyType === 'ec' ? 'ECDSA' : 'RSA'

  test.each(['ffdhe2048', 'ffdhe8192', 'P-521', 'X448', 'ffdhe3072:ffdhe4096:ffdhe6144'])(
    'error: the groups %s are rejected',
    async (ecdhCurve) => {
      expect(await handshake({ ...tls13, ecdhCurve })).toMatch(refused)
      expect(await handshake({ ...tls12, ecdhCurve })).toMatch(refused)
    },
  )

  test.each(['X25519', 'P-256', 'P-384', 'ffdhe2048:P-384'])('default: %s is accepted', async (ecdhCurve) => {
    expect(await handshake({ ...tls13, ecdhCurve })).toMatch(/^TLSv1\.3 /)
    // In TLS 1.2 a client that accepts a P-256 certificate must offer that curve too.
    const offered = keyType === 'ec' && ecdhCurve !== 'P-256' ? `${ecdhCurve}:P-256` : ecdhCurve
    expect(await handshake({ ...tls12, ecdhCurve: offered })).toMatch(/^TLSv1\.2 ECDHE-/)
  })

  test.each([
    ['CBC', `ECDHE-${kind}-AES128-SHA`],
    ['CBC with SHA-2', `ECDHE-${kind}-AES256-SHA384`],
    ['RSA key exchange', 'AES128-GCM-SHA256'],
    ['RSA key exchange and CBC', 'AES256-SHA'],
    ['DHE', 'DHE-RSA-AES128-GCM-SHA256'],
  ])('error: %s is rejected in TLS 1.2', async (_, ciphers) => {
    expect(await handshake({ ...tls12, ciphers })).toMatch(refused)
  })

  test.each([`ECDHE-${kind}-AES128-GCM-SHA256`, `ECDHE-${kind}-AES256-GCM-SHA384`, `ECDHE-${kind}-CHACHA20-POLY1305`])(
    'default: %s is accepted in TLS 1.2',
    async (ciphers) => {
      expect(await handshake({ ...tls12, ciphers })).toBe(`TLSv1.2 ${ciphers}`)
    },
  )

  test.each(['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'])(
    'default: %s is accepted in TLS 1.3',
    async (ciphers) => {
      expect(await handshake({ ...tls13, ciphers })).toBe(`TLSv1.3 ${ciphers}`)
    },
  )

  test('error: renegotiation is refused in TLS 1.2', async () => {
    const { port } = new URL(service.baseUrl)
    const socket = connectTls({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false, ...tls12 })
    await once(socket, 'secureConnect')
    const error = new Promise((resolve) => {
      socket.once('error', resolve)
      socket.renegotiate({ rejectUnauthorized: false }, resolve)
    })
    expect(await error).toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' })
    socket.destroy()
  })

  test('default: HTTP/1.1 and HTTP/2 are served over each group', async () => {
    for (const ecdhCurve of ['X25519', 'P-256', 'P-384']) {
      const options = { ecdhCurve, rejectUnauthorized: false }
      expect((await sendRequest(`${service.baseUrl}/notes`, { headers, ...options })).status).toBe(200)
      const session = connectHttp2(service.baseUrl, options)
      const stream = session.request({ ':path': '/notes', ...headers })
      const [answer] = await once(stream, 'response')
      expect(answer[constants.HTTP2_HEADER_STATUS]).toBe(200)
      session.destroy()
    }
  })
})

describe('session tickets', () => {
  const listen = { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' } }

  /** Starts two TLS servers of different replicas with the same ticket key. */
  async function startServers() {
    const { directory } = await prepare({ databaseUrl: 'file:unused', config: { listen } })
    const files = ['cert', 'key'].map((name) => [name, join(directory, `${name}.pem`)])
    const ticketKeys = join(directory, 'ticket.key')
    writeFileSync(ticketKeys, randomBytes(48))
    const lines: string[] = []
    const startServer = async () => {
      const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
      const time = createTestTime({ waits: { 'TLS files': atMost(20) } })
      const context = { metrics: createMetrics(metricHelp), time, log, say: () => undefined }
      const options = { ...context, nextRequestId: () => 'id' }
      const tls = openTls({ ...Object.fromEntries(files), ticketKeys }, options)
      tls.server.on('request', (_, response) => void response.end('done')).listen(0, '127.0.0.1')
      onTestFinished(() => {
        tls.stopWatching()
        tls.destroyConnections()
        tls.server.close()
      })
      await once(tls.server, 'listening')
      return (tls.server.address() as AddressInfo).port
    }
    return { ports: await Promise.all([startServer(), startServer()]), ticketKeys, lines }
  }

  async function request(port: number | undefined, options: ConnectionOptions) {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
    let session: Buffer | undefined
    socket.on('session', (ticket) => {
      session = ticket
    })
    await once(socket, 'secureConnect')
    const isReused = socket.isSessionReused()
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    socket.resume()
    await once(socket, 'close')
    return { isReused, session: session ?? (socket.getSession() as Buffer) }
  }

  test.each([
    ['1.2', tls12],
    ['1.3', tls13],
  ])(
    'behavior: a session of one replica is resumed on another over TLS %s, and not after a new key',
    async (_, version) => {
      const { ports, ticketKeys, lines } = await startServers()
      const { session } = await request(ports[0], version)
      expect((await request(ports[1], { ...version, session })).isReused).toBe(true)
      writeFileSync(ticketKeys, 'short')
      await expect.poll(() => lines.filter((line) => line.includes('keeping the current one'))).toHaveLength(2)
      expect((await request(ports[1], { ...version, session })).isReused).toBe(true)
      writeFileSync(ticketKeys, randomBytes(48))
      await expect.poll(() => lines.filter((line) => line.includes('tickets changed'))).toHaveLength(2)
      const next = await request(ports[0], { ...version, session })
      expect(next.isReused).toBe(false)
      expect((await request(ports[1], { ...version, session: next.session })).isReused).toBe(true)
    },
  )

  test('error: a ticket key that is missing or has another size is a fault of the configuration', async () => {
    const { ticketKeys } = await startServers()
    const load = (path: string) =>
      prepare({
        databaseUrl: 'file:unused',
        config: { listen: { ...listen, tls: { ...listen.tls, ticketKeys: path } } },
      })
    await expect(load(`${ticketKeys}.missing`)).rejects.toThrow(/listen\.tls\.ticketKeys: .* cannot be read \(ENOENT\)/)
    writeFileSync(ticketKeys, randomBytes(80))
    await expect(load(ticketKeys)).rejects.toThrow(/listen\.tls\.ticketKeys: .* has 80 bytes, not 48/)
  })
})

describe('connections without a complete request', { tags: 'slow' }, () => {
  // A loaded machine takes longer than 200 ms for a handshake that has to succeed.
  const first = { firstByte: 1_000, handshake: 1_000 }
  const timeouts = { ...first, headers: 200, request: 200, keepAlive: 200, slowRequestCheck: 20 }
  let port: number
  let accepted = 0
  let count: () => Promise<number>

  beforeAll(async () => {
    const tls = createTlsServer({
      ...createCertificateAuthority().issue(['localhost']),
      answerPlain: () => 'no',
      timeouts,
    })
    const app = createInstance({
      time: createTime(),
      log: pino({ level: 'silent' }),
      nextRequestId: () => 'id',
      headers: {},
      serverFactory: (handler) => tls.server.on('request', handler),
    })
    app.get('/', () => 'done')
    await app.listen({ port: 0, host: '127.0.0.1' })
    defer(() => {
      tls.destroyConnections()
      return app.close()
    })
    tls.server.on('connection', () => {
      accepted += 1
    })
    port = (tls.server.address() as AddressInfo).port
    count = () => new Promise((resolve) => tls.server.getConnections((_, open) => resolve(open)))
  })

  /** Sends bytes and keeps its side open until the server resets it. */
  async function hold(bytes: Buffer): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    defer(() => socket.destroy())
    socket.on('error', () => undefined)
    socket.resume()
    await once(socket, 'connect')
    if (bytes.length > 0) socket.write(bytes)
    return socket
  }

  /** Waits until the server has accepted as many connections as expected, and closed them all. */
  async function expectGone(acceptedBefore: number, connections: number): Promise<void> {
    await expect.poll(() => accepted).toBe(acceptedBefore + connections)
    await expect.poll(count).toBe(0)
  }

  const hello = captureHello()

  test.each([
    ['says nothing', 0],
    ['sends one byte', 1],
    ['sends the head of a record', 5],
    ['sends half a ClientHello', 100],
    ['sends all but the last byte of a ClientHello', -1],
    ['sends a ClientHello and no more', undefined],
  ])('error: a client that %s is disconnected', async (_, end) => {
    const before = accepted
    for (let i = 0; i < 3; i++) await hold((await hello).subarray(0, end))
    await expectGone(before, 3)
  })

  test('error: a client that sends a malformed handshake is disconnected', async () => {
    const before = accepted
    await hold(Buffer.concat([Buffer.of(0x16), Buffer.alloc(500, 7)]))
    await hold(Buffer.from('16030100050100000100', 'hex'))
    await expectGone(before, 2)
  })

  test.each([
    ['a broken request', 'NONSENSE\r\n\r\n'],
    ['half a request', 'GET / HTTP/1.1\r\nhost: x\r\n'],
    ['half a body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n1'],
  ])('error: a client that sends %s and keeps its side open gets a response and is disconnected', async (_, text) => {
    // The option is passed to the connection. The type lacks it.
    const halfOpen = { allowHalfOpen: true }
    const socket: TLSSocket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...halfOpen })
    defer(() => socket.destroy())
    socket.on('error', () => undefined)
    let answer = ''
    socket.on('data', (chunk) => {
      answer += String(chunk)
    })
    await once(socket, 'secureConnect')
    socket.write(text)
    await expect.poll(() => answer).toMatch(/^HTTP\/1\.1 4/)
    await expect.poll(count).toBe(0)
  })
})

/** Captures the first bytes of a TLS client. */
async function captureHello(): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connectTls({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  client.on('error', () => undefined)
  const [accepted] = (await once(server, 'connection')) as [Socket]
  const [bytes] = (await once(accepted, 'data')) as [Buffer]
  client.destroy()
  accepted.destroy()
  server.close()
  return bytes
}
