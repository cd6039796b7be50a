import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { gzipSync } from 'node:zlib'
import { findFreePort } from '@tallystick/workbench/free-port'
import { keepConnections } from '@tallystick/workbench/start-local-server'
import { expect, onTestFinished, test } from 'vitest'
import { exchange, type HttpError, type HttpRequest } from '../src/http/exchange.ts'
import { createRpcEndpoint } from '../src/index.ts'

/** Starts a server that counts its connections. */
async function start(listener: RequestListener) {
  return listen(createServer(keepConnections, listener))
}

async function listen(server: Server) {
  const open = new Set<unknown>()
  let connections = 0
  server.on('connection', (socket) => {
    connections += 1
    open.add(socket)
    socket.on('error', () => undefined).on('close', () => open.delete(socket))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    if ('closeAllConnections' in server) (server as { closeAllConnections(): void }).closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, port, open, connections: () => connections }
}

const limits = { bytesMax: 1_000, timeoutMs: 60_000 }

function failureOf(request: Pick<HttpRequest, 'url'> & Partial<HttpRequest>): Promise<HttpError> {
  return exchange({ ...limits, ...request }).then(
    () => expect.fail('there was no error'),
    (error) => error,
  )
}

test('default: returns status, headers and body of any response, and reuses the connection', async () => {
  const { url, connections } = await start((request, response) => {
    const { method, url, headers } = request
    response
      .writeHead(418, { 'x-answer': 'yes' })
      .end(JSON.stringify([method, url, headers['user-agent'], headers['x-a']]))
  })
  for (let count = 0; count < 5; count += 1) {
    const answer = await exchange({
      ...limits,
      url: `${url}a?b=c`,
      method: 'POST',
      headers: { 'X-A': '1' },
      body: '{}',
    })
    expect([answer.status, answer.headers['x-answer'], answer.bytes.toString()]).toEqual([
      ...[418, 'yes', '["POST","/a?b=c","tallystick","1"]'],
    ])
  }
  // The second one is opened before the first is free again, as by `fetch`.
  expect(connections()).toBeLessThanOrEqual(2)
})

test('behavior: credentials of the URL are sent as a header', async () => {
  const { port } = await start((request, response) => response.end(request.headers.authorization))
  const { bytes } = await exchange({ ...limits, url: `http://us%40er:pass@127.0.0.1:${port}/` })
  expect(bytes.toString()).toBe(`Basic ${Buffer.from('us@er:pass').toString('base64')}`)
})

test('behavior: a redirect is returned and its target gets no request', async () => {
  const target = await start((_, response) => response.end())
  const { url } = await start((_, response) => response.writeHead(302, { location: target.url }).end())
  expect((await exchange({ ...limits, url })).status).toBe(302)
  expect(target.connections()).toBe(0)
})

test('behavior: a compressed body is decompressed, up to the limit', async () => {
  const { url } = await start(({ url = '', headers }, response) => {
    expect(headers['accept-encoding']).toBe('gzip')
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(Number(url.slice(1)))))
  })
  expect((await exchange({ ...limits, url: `${url}1000` })).bytes.toString()).toBe('x'.repeat(1_000))
  expect(await failureOf({ url: `${url}100000` })).toMatchObject({ failure: 'too_large', head: { status: 200 } })
})

test('error: a body of one byte too many is refused, and its connection is closed', async () => {
  const fitting = await start((_, response) => response.end('x'.repeat(1_000)))
  expect((await exchange({ ...limits, url: fitting.url })).bytes).toHaveLength(1_000)
  const { url, open } = await start((_, response) => void response.write('x'.repeat(1_001)))
  const error = await failureOf({ url })
  expect([error.failure, error.message]).toEqual(['too_large', 'sent more than 1000 bytes'])
  await expect.poll(() => open.size).toBe(0)
})

const slow: Readonly<Record<string, RequestListener>> = {
  'sends no headers': () => undefined,
  'stops after the headers': (_, response) => response.flushHeaders(),
  'drips its body': (_, response) => {
    const timer = setInterval(() => response.write(' '), 5)
    response.on('close', () => clearInterval(timer))
  },
}

test.each(Object.entries(slow))(
  'error: the deadline closes the connection of a server that %s',
  async (_, listener) => {
    const { url, open } = await start(listener)
    const error = await failureOf({ url, timeoutMs: 200 })
    expect([error.failure, error.message]).toEqual(['timeout', 'did not respond within 200 ms'])
    await expect.poll(() => open.size).toBe(0)
  },
)

test.each(Object.entries(slow))('error: an abort closes the connection of a server that %s', async (_, listener) => {
  const controller = new AbortController()
  const { url, open } = await start((request, response) => {
    listener(request, response)
    setTimeout(() => controller.abort(new Error('gone')), 50)
  })
  await expect(exchange({ ...limits, url, signal: controller.signal })).rejects.toThrow('gone')
  await expect.poll(() => open.size).toBe(0)
  await expect(exchange({ ...limits, url, signal: controller.signal })).rejects.toThrow('gone')
})

test('error: the deadline includes a TLS handshake that does not end', async () => {
  const { port } = await listen(createTcpServer(() => undefined))
  expect((await failureOf({ url: `https://127.0.0.1:${port}/`, timeoutMs: 100 })).failure).toBe('timeout')
})

test('error: failures have a code and neither the address nor a secret in the message', async () => {
  const refused = await failureOf({ url: `http://user:s3cret@127.0.0.1:${await findFreePort()}/k3y` })
  expect([refused.failure, refused.code, refused.message]).toEqual([
    ...['unreachable', 'ECONNREFUSED', 'cannot be reached (ECONNREFUSED)'],
  ])
  const unknown = await failureOf({ url: 'http://s3cret.invalid/k3y' })
  expect(unknown.message).toMatch(/^cannot be reached \((ENOTFOUND|EAI_AGAIN)\)$/)
  const cut = await start(({ socket }) => void socket.destroy())
  expect((await failureOf({ url: cut.url })).code).toBe('ECONNRESET')
  const noise = await listen(createTcpServer((socket) => socket.end('noise\r\n\r\n')))
  expect((await failureOf({ url: noise.url })).code).toMatch(/^HPE_/)
})

// It was parsed, at 0.3 µs for each level: the thread served nothing else for seconds.
test('error: a response of an RPC with a million levels is refused', async () => {
  const { url } = await start((_, response) => {
    response.end(`{"jsonrpc":"2.0","id":0,"result":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`)
  })
  const { signal } = new AbortController()
  const endpoint = createRpcEndpoint({ url, signal, timeoutMs: 60_000, answerBytesMax: 4_000_000 })
  await expect(endpoint.call({ method: 'eth_chainId', params: [] })).rejects.toMatchObject({
    ...{ kind: 'malformed', message: 'sent a response that is not JSON' },
  })
})
