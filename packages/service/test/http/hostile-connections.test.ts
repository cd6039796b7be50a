import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { createTlsServer, cutUnread, paceRequests, paceServer } from '@tallystick/http'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { expect, onTestFinished, test } from 'vitest'
import { writeResets } from '../http2-frames.ts'

const pair = createCertificateAuthority().issue(['localhost'])
// More than the system buffers on a connection.
const large = Buffer.alloc(8 << 20, 'x')
const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`

type Opened = { readonly server: Server; readonly cuts: () => readonly string[]; readonly port: number }

async function open(mode: 'plain' | 'tls', handler: RequestListener, unreadMs = 600_000): Promise<Opened> {
  const cuts: string[] = []
  const onCut = () => void cuts.push('pipelined')
  const onResetFlood = () => void cuts.push('resets')
  const tls = createTlsServer({ ...pair, answerPlain: () => '', onResetFlood })
  const server = mode === 'tls' ? tls.server.on('request', paceRequests(handler, onCut)) : createServer(handler)
  if (mode === 'plain') paceServer(server, onCut)
  cutUnread(server, () => void cuts.push('unread'), { unreadMs, checkMs: 20 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    tls.destroyConnections()
    server.closeAllConnections?.()
    server.close()
  })
  return { server, cuts: () => cuts, port: (server.address() as AddressInfo).port }
}

async function connectTo(mode: 'plain' | 'tls', port: number, protocol = 'http/1.1'): Promise<Socket> {
  const to = { port, host: '127.0.0.1' }
  const tls = { ...to, rejectUnauthorized: false, ALPNProtocols: [protocol] }
  const socket = mode === 'tls' ? connectTls(tls) : connect(to)
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, mode === 'tls' ? 'secureConnect' : 'connect')
  return socket
}

async function readAll(socket: Socket, until: (text: string) => boolean): Promise<string> {
  let text = ''
  for await (const chunk of socket) {
    text += String(chunk).replaceAll(/x+/g, '')
    if (until(text)) break
  }
  return text
}

test.each(['plain', 'tls'] as const)(
  'behavior: on %s, a pipelined request waits until the response before it is sent',
  async (mode) => {
    const handled: string[] = []
    const { port } = await open(mode, ({ url = '' }, response) => {
      handled.push(url)
      response.end(url === '/last' ? 'last' : Buffer.concat([large, Buffer.from(url)]))
    })
    const socket = await connectTo(mode, port)
    socket.pause()
    const paths = ['/1', '/2', '/3', '/4', '/5', '/last']
    socket.write(paths.map(get).join(''))
    await expect.poll(() => handled.length).toBeGreaterThan(0)
    const other = await connectTo(mode, port)
    other.write(get('/last'))
    await readAll(other, (text) => text.endsWith('last'))
    expect(handled.filter((url) => url !== '/last').length).toBeLessThan(3)
    const text = await readAll(socket, (answers) => answers.endsWith('last'))
    expect(text.match(/(?<=\r\n\r\n)(\/\d|last)/g)).toEqual(['/1', '/2', '/3', '/4', '/5', 'last'])
    expect(handled.filter((url) => url !== '/last')).toEqual(paths.slice(0, -1))
  },
)

test.each(['plain', 'tls'] as const)(
  'error: on %s, a client with more than 256 waiting requests is disconnected',
  async (mode) => {
    const { port, cuts } = await open(mode, (request, response) => {
      if (request.url === '/short') response.end('short')
    })
    const reader = await connectTo(mode, port)
    reader.write(get('/short').repeat(257))
    const answers = await readAll(reader, (text) => text.split('short').length > 257)
    expect(answers.match(/short/g)).toHaveLength(257)
    expect(cuts()).toEqual([])
    const socket = await connectTo(mode, port)
    socket.resume()
    socket.write(get('/long') + get('/short').repeat(257))
    await once(socket, 'close')
    expect(cuts()).toEqual(['pipelined'])
  },
)

test.each([
  ['plain', 'http/1.1'],
  ['tls', 'http/1.1'],
  ['tls', 'h2'],
] as const)(
  'error: on %s with %s, a client that does not read is disconnected, an idle one is not',
  async (mode, protocol) => {
    const { port, cuts, server } = await open(mode, (_, response) => void response.end(large), 300)
    const countOpen = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
    await connectTo(mode, port)
    const socket = await connectTo(mode, port, protocol)
    socket.pause()
    socket.write(protocol === 'h2' ? writeResets({ count: 1, isReset: false, window: 1 << 30 }) : get('/'))
    await expect.poll(cuts).toEqual(['unread'])
    await expect.poll(countOpen).toBe(1)
  },
)

test('error: a client that resets streams in a burst is disconnected, and its requests are not handled', async () => {
  let handled = 0
  const { port, cuts } = await open('tls', (_, response) => {
    handled += 1
    response.end()
  })
  const socket = await connectTo('tls', port, 'h2')
  socket.resume()
  socket.write(writeResets({ count: 10_000 }))
  await once(socket, 'close')
  expect(cuts()).toEqual(['resets'])
  expect(handled).toBeLessThan(150)
})

test('behavior: streams that end with their connections are not counted as reset', async () => {
  let handled = 0
  const { port, cuts, server } = await open('tls', () => {
    handled += 1
  })
  const sockets = await Promise.all([1, 2, 3].map(() => connectTo('tls', port, 'h2')))
  for (const socket of sockets) socket.write(writeResets({ count: 100, isReset: false }))
  await expect.poll(() => handled).toBe(300)
  const other = await connectTo('tls', port, 'h2')
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(1)
  other.write(writeResets({ count: 100 }))
  other.write(writeResets({ count: 1, isReset: false, from: 100 }))
  await expect.poll(() => handled).toBeGreaterThan(300)
  expect(cuts()).toEqual([])
})

test('behavior: a client may reset 100 streams at once', async () => {
  const { port, cuts } = await open('tls', (_, response) => void response.end('answer'))
  const socket = await connectTo('tls', port, 'h2')
  socket.write(writeResets({ count: 100 }))
  socket.write(writeResets({ count: 1, isReset: false, from: 100 }))
  expect(await readAll(socket, (text) => text.includes('answer'))).toContain('answer')
  expect(cuts()).toEqual([])
})
