// @module-tag server

import { once } from 'node:events'
import { connect as connectHttp2, constants } from 'node:http2'
import { Agent } from 'node:https'
import { connect } from 'node:net'
import { type Answer, sendRequest } from '@tallystick/workbench/send-request'
import { expect, onTestFinished, test } from 'vitest'
import { createKey, newDatabase, start, type TestService } from './harness.ts'

const at = '2026-11-15T12:00:00.5-05:00'
const ownTls = { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' } }
const lameDuckOf = (seconds: number) => ({ listen: { ...ownTls, lameDuckSeconds: seconds } })
/** The lame duck time lasts until the test ends it. */
const time = { held: ['lame duck'] }

const readinessOf = (service: TestService) =>
  service.admin('/readyz').then(
    ({ status }) => status,
    (error) => String(error.code),
  )

test('behavior: after the signal /readyz is 503, /livez is 200, and old and new connections are served and then closed', async () => {
  const service = await start({ databaseUrl: await newDatabase(), at, config: lameDuckOf(2), time })
  onTestFinished(() => service.clock.release('lame duck'))
  const headers = { 'x-api-key': (await createKey(service)).secret }
  const agent = new Agent({ ca: service.ca, keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const notes = (options: object): Promise<Answer> => sendRequest(`${service.baseUrl}/notes`, { headers, ...options })
  expect((await notes({ agent })).headers.connection).toBe('keep-alive')
  const session = connectHttp2(service.baseUrl, { ca: service.ca })
  await once(session, 'connect')
  let goneAway = false
  session.on('goaway', (code) => {
    goneAway = code === constants.NGHTTP2_NO_ERROR
  })
  expect(await readinessOf(service)).toBe(200)

  const stopped = service.stop()
  expect(await readinessOf(service)).toBe(503)
  const old = await notes({ agent })
  const fresh = await notes({ ca: service.ca })
  const unchanged = await notes({
    ca: service.ca,
    headers: { ...headers, 'if-none-match': old.headers.etag as string },
  })
  expect([old, fresh, unchanged].map(({ status }) => status)).toEqual([200, 200, 304])
  expect([old, fresh, unchanged].map((answer) => answer.headers.connection)).toEqual(['close', 'close', 'close'])
  const stream = session.request({ ':path': '/notes', ...headers })
  const [answer] = await once(stream, 'response')
  expect(answer[constants.HTTP2_HEADER_STATUS]).toBe(200)
  stream.resume()
  expect(goneAway).toBe(false)
  // The only admin route without a token.
  const live = await sendRequest(`${service.adminUrl}/livez`)
  expect([live.status, live.body]).toEqual([200, '{"status":"ok"}'])
  expect((await sendRequest(`${service.adminUrl}/livez`, { method: 'HEAD' })).status).toBe(200)
  for (const path of ['/healthz', '/livez/', '/livez/x']) {
    expect((await sendRequest(service.adminUrl + path)).status).toBe(401)
  }

  expect(service.clock.heldOf('lame duck')).toEqual([2_000])
  service.clock.release('lame duck')
  await stopped
  await expect(notes({ ca: service.ca })).rejects.toThrow('ECONNREFUSED')
  await expect.poll(() => goneAway).toBe(true)
  session.destroy()
})

test('behavior: browsers and proxies that connected ahead and sent nothing do not delay the shutdown', async () => {
  // Less than the 10 s after which the service destroys connections that hang.
  const listen = { host: '127.0.0.1', port: 0, proxy: { trust: ['127.0.0.1'] }, shutdownSeconds: 8 }
  const service = await start({ databaseUrl: await newDatabase(), at, config: { listen } })
  const connected = [service.baseUrl, service.adminUrl].map(async (url) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    // Its response says that the socket before it is accepted.
    await sendRequest(url)
    return socket.resume()
  })
  const sockets = await Promise.all(connected)
  const ends = sockets.map((socket) => once(socket, 'close'))
  await service.stop()
  await Promise.all(ends)
  expect(sockets.map(({ bytesRead }) => bytesRead)).toEqual([0, 0])
})

/** Client with one keep-alive connection. It distinguishes a request that was never sent from a lost one. */
function createClient({ baseUrl, ca }: TestService, secret: string) {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  let isConnected = false
  const createConnection = agent.createConnection.bind(agent)
  agent.createConnection = (...parts) => {
    isConnected = false
    const socket = createConnection(...parts)
    socket?.once('secureConnect', () => {
      isConnected = true
    })
    return socket
  }
  return {
    /** Resolves to undefined if the connection failed. */
    ask: async (): Promise<number | undefined> => {
      try {
        return (await sendRequest(`${baseUrl}/notes`, { agent, headers: { 'x-api-key': secret } })).status
      } catch (error) {
        if (isConnected) throw error
        return undefined
      }
    },
  }
}

test('behavior: keep-alive clients lose no request in a rolling restart', async () => {
  const databaseUrl = await newDatabase()
  const a = await start({ databaseUrl, at, config: lameDuckOf(1), time })
  onTestFinished(() => a.clock.release('lame duck'))
  const b = await start({ databaseUrl, at })
  const { secret } = await createKey(a)
  await expect.poll(async () => (await b.call('/notes', { headers: { 'x-api-key': secret } })).status).toBe(200)
  const served = { beforeSignal: 0, afterSignal: 0 }
  let signalled = false
  const loop = async () => {
    const [first, second] = [createClient(a, secret), createClient(b, secret)]
    for (let status = await first.ask(); status !== undefined; status = await first.ask()) {
      expect(status).toBe(200)
      served[signalled ? 'afterSignal' : 'beforeSignal'] += 1
    }
    for (let count = 0; count < 10; count += 1) expect(await second.ask()).toBe(200)
  }
  const loops = Promise.all([loop(), loop(), loop(), loop()])
  await expect.poll(() => served.beforeSignal).toBeGreaterThan(20)
  signalled = true
  const stopped = a.stop()
  await expect.poll(() => served.afterSignal).toBeGreaterThan(20)
  a.clock.release('lame duck')
  await Promise.all([stopped, loops])
})
