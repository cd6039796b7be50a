import { createServer, type Socket } from 'node:net'
import { systemTime } from '@tallystick/base'
import { attemptDelivery, createAddressPolicy, createSender, type SenderOptions } from '@tallystick/notify'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { findFreePort } from '@tallystick/workbench/free-port'
import { expect, onTestFinished, test } from 'vitest'
import { type Respond, receiverCa, startReceiver } from './hook-receiver.ts'

const local = createAddressPolicy({ allowPrivate: ['127.0.0.0/8'] })
const resolve = async () => ['127.0.0.1']
const message = { id: 'msg_1', body: Buffer.from('{"type":"test"}') }
const secrets = [`whsec_${Buffer.alloc(32, 7).toString('base64')}`]

/** Sends one message to a URL with short time limits. */
async function send(url: string, options: Partial<SenderOptions> = {}, signal = new AbortController().signal) {
  const timeouts = { connectTimeoutMs: 2_000, timeoutMs: 3_000 }
  const sender = createSender({ policy: local, resolve, ca: receiverCa, ...timeouts, ...options })
  const attempt = await attemptDelivery(
    sender,
    { url },
    {
      ...{ message, secrets, nowMs: 1_800_000_000_500, time: systemTime, signal },
    },
  )
  return { isDelivered: attempt.isDelivered, status: attempt.status, error: attempt.error, attempt }
}

async function sendTo(respond: Respond, options: Partial<SenderOptions> = {}) {
  const receiver = await startReceiver({ respond })
  const sent = await send(receiver.url, options)
  await expect.poll(() => receiver.sockets.size).toBe(0)
  return { ...sent, receiver }
}

test('default: a request has the three headers of the convention and arrives once, without a proxy', async () => {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NODE_USE_ENV_PROXY']) {
    process.env[name] = name.startsWith('HTTP') ? 'http://127.0.0.1:1' : '1'
    onTestFinished(() => {
      delete process.env[name]
    })
  }
  const { isDelivered, status, receiver } = await sendTo((response) => response.writeHead(200).end('thanks'))
  expect([isDelivered, status, receiver.received.length]).toEqual([true, 200, 1])
  expect(receiver.received[0]).toMatchObject({
    path: '/hook',
    body: '{"type":"test"}',
    headers: {
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1800000000',
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
    },
  })
})

test.each([
  [199, false],
  [200, true],
  [299, true],
  [300, false],
  [400, false],
  [500, false],
])('default: status %i is delivered: %s', async (code, isDelivered) => {
  // 199 is informational, so no response follows.
  const receiver = await startReceiver({
    respond: (response, _, request) => {
      if (code >= 200) response.writeHead(code).end()
      else request.socket.end('HTTP/1.1 199 x\r\n\r\n')
    },
  })
  expect((await send(receiver.url)).isDelivered).toBe(isDelivered)
})

test('error: a redirect is a failure, and its target gets nothing', async () => {
  const target = await startReceiver()
  const { isDelivered, error } = await sendTo((response) => response.writeHead(307, { location: target.url }).end())
  expect([isDelivered, error, target.received]).toEqual([false, 'status 307: redirects are not followed', []])
})

test('error: a receiver that hangs is cut off at the time limit', async () => {
  const { isDelivered, error } = await sendTo(() => undefined, { timeoutMs: 100 })
  expect([isDelivered, error]).toEqual([false, 'no response within 0.1 s'])
})

test('error: a receiver that accepts a connection and never finishes TLS is cut off', async () => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { port: number }
  const { error } = await send(`https://receiver.test:${port}/`, { connectTimeoutMs: 100 })
  expect(error).toBe('no connection within 0.1 s')
})

test('error: a reset before the response is a failure', async () => {
  const { isDelivered, error } = await sendTo((_response, _received, request) => request.socket.destroy())
  expect([isDelivered, error]).toEqual([false, 'the connection was closed without a response (ECONNRESET)'])
})

test('error: a reset inside the headers is a failure', async () => {
  const { isDelivered } = await sendTo((_response, _received, request) => {
    request.socket.end('HTTP/1.1 200 OK\r\ncontent-le')
  })
  expect(isDelivered).toBe(false)
})

test('error: a response that is not HTTP is a failure without its text', async () => {
  const { error } = await sendTo((_response, _received, request) => request.socket.end('s3cret\r\n\r\n'))
  expect(error).toMatch(/^the response is not valid HTTP \(HPE_\w+\)$/)
})

test('error: endless headers are a failure', async () => {
  const { isDelivered, error } = await sendTo((_response, _received, request) => {
    request.socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`)
  })
  expect([isDelivered, error]).toEqual([false, 'the response is not valid HTTP (UND_ERR_HEADERS_OVERFLOW)'])
})

test('behavior: the status counts, not the body: an endless, a slow and a broken body are delivered and cut off', async () => {
  const endless: Respond = (response) => {
    response.writeHead(200)
    // After the connection has ended, Node 26 reports an error here before it marks the response as destroyed.
    const more = (error?: Error | null) => {
      if (!error) response.write('x'.repeat(65_536), more)
    }
    more()
  }
  const slow: Respond = (response) => void response.writeHead(200).write('x')
  const broken: Respond = (response, _, request) => {
    response.writeHead(200, { 'content-length': '100' }).write('half', () => request.socket.destroy())
  }
  expect((await sendTo(endless)).isDelivered).toBe(true)
  expect((await sendTo(slow, { timeoutMs: 300 })).isDelivered).toBe(true)
  expect((await sendTo(broken)).isDelivered).toBe(true)
})

test.each([
  [429, '30', 30],
  [503, '30', 30],
  [503, '999999999', 10_800],
  [429, 'soon', undefined],
  [500, '30', undefined],
])('behavior: status %i with Retry-After %s waits %s seconds', async (code, retryAfter, seconds) => {
  const { attempt } = await sendTo((response) => response.writeHead(code, { 'retry-after': retryAfter }).end())
  expect([attempt.isDelivered, attempt.retryAfterSeconds]).toEqual([false, seconds])
})

test('behavior: 410 says that the receiver is gone', async () => {
  expect((await sendTo((response) => response.writeHead(410).end())).attempt.isGone).toBe(true)
})

test('error: certificates of another name and of an unknown authority are refused', async () => {
  const other = await startReceiver({ tls: createCertificateAuthority().issue(['receiver.test']) })
  expect((await send(other.url)).error).toMatch(/certificate is from an unknown authority/)
  const receiver = await startReceiver()
  const wrongName = receiver.url.replace('receiver.test', 'other.test')
  expect((await send(wrongName)).error).toBe('the certificate is for another name (ERR_TLS_CERT_ALTNAME_INVALID)')
  expect([other.received, receiver.received]).toEqual([[], []])
})

test('error: a receiver that does not listen, and a name without an address', async () => {
  expect((await send(`https://receiver.test:${await findFreePort()}/`)).error).toBe(
    'the connection was refused (ECONNREFUSED)',
  )
  expect((await send('https://receiver.test/', { resolve: async () => [] })).error).toBe(
    'the name receiver.test has no address in DNS',
  )
})

test('error: a name that resolves to a private address is not connected to', async () => {
  const receiver = await startReceiver()
  const policy = createAddressPolicy({ allowPrivate: [] })
  expect((await send(receiver.url, { policy })).error).toMatch(
    /^the name receiver\.test resolves to 127\.0\.0\.1, a loopback address; /,
  )
  const mixed = await send(receiver.url, { policy, resolve: async () => ['1.1.1.1', '10.0.0.5'] })
  expect(mixed.error).toMatch(/resolves to 10\.0\.0\.5, a private address/)
  const literal = await send(`https://2130706433:${receiver.port}/`, { policy })
  expect(literal.error).toMatch(/^127\.0\.0\.1 is a loopback address/)
  expect(receiver.sockets.size + receiver.received.length).toBe(0)
})

test('behavior: a name that resolves twice is connected to at the address that was checked', async () => {
  const receiver = await startReceiver()
  const victim = await startReceiver()
  // Public at first, private from the second resolution on. The checked address must be the one that is used.
  const answers = [['127.0.0.1'], ['127.0.0.2']]
  let count = 0
  const rebinding = async () => answers[Math.min(count++, 1)] as string[]
  const onlyOne = createAddressPolicy({ allowPrivate: ['127.0.0.1'] })
  expect((await send(receiver.url, { policy: onlyOne, resolve: rebinding })).isDelivered).toBe(true)
  expect(count).toBe(1)
  const second = await send(victim.url, { policy: onlyOne, resolve: rebinding })
  expect([second.isDelivered, second.error]).toEqual([false, expect.stringContaining('resolves to 127.0.0.2')])
  expect(victim.received).toEqual([])
})

test('behavior: plain HTTP is sent to allowed networks only', async () => {
  const receiver = await startReceiver({ tls: null })
  expect((await send(receiver.url)).isDelivered).toBe(true)
  const publicAddress = await send(receiver.url, { resolve: async () => ['1.1.1.1'] })
  expect(publicAddress.error).toMatch(/resolves to 1\.1\.1\.1; plain http is only for networks in hooks\.allowPrivate/)
})

test('behavior: an aborted request throws and closes its connection', async () => {
  const aborting = new AbortController()
  const receiver = await startReceiver({ respond: () => aborting.abort() })
  await expect(send(receiver.url, {}, aborting.signal)).rejects.toThrow('aborted')
  await expect.poll(() => receiver.sockets.size).toBe(0)
})
