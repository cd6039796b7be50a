// @module-tag server

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { sendRequest } from '@tallystick/workbench/send-request'
import { beforeAll, describe, expect, test } from 'vitest'
import { createDeferrals, createKey, newDatabase, start, type TestService } from './harness.ts'
import { writeResets } from './http2-frames.ts'

const { defer, finish } = createDeferrals()
const at = '2026-11-15T12:00:00-05:00'
const ownTls = { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' } }
const perAddressMax = 3
const max = 5
let headers: Record<string, string>
const services: Record<string, TestService> = {}

beforeAll(async () => {
  const databaseUrl = await newDatabase('postgres', defer)
  const bounds = { connectionsMax: max, connectionsPerAddressMax: perAddressMax }
  const proxy = { host: '127.0.0.1', port: 0, proxy: { trust: ['127.0.0.1'] } }
  services['tls'] = await start({ databaseUrl, at, config: { listen: { ...ownTls, ...bounds } } }, defer)
  services['proxy'] = await start({ databaseUrl, at, config: { listen: { ...proxy, ...bounds } } }, defer)
  headers = { 'x-api-key': (await createKey(services['tls'])).secret, 'x-forwarded-proto': 'https' }
  return finish
})

/** Connects from an address of the loopback network and sends nothing. */
async function open(service: TestService, localAddress: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(service.baseUrl).port), host: '127.0.0.1', localAddress })
  socket.on('error', () => undefined)
  socket.resume()
  await once(socket, 'connect')
  return socket
}

async function expectRefused(service: TestService, localAddress: string): Promise<void> {
  const socket = await open(service, localAddress)
  if (!socket.closed) await once(socket, 'close')
  // No byte was sent: neither TLS nor HTTP handled it.
  expect(socket.bytesRead).toBe(0)
}

/** Reads the value of a series through the admin listener, which shows that it responds. */
async function readMetric(service: TestService, series: string): Promise<number> {
  const { status, body } = await service.admin('/metrics')
  expect(status).toBe(200)
  const line = body.split('\n').find((candidate) => candidate.startsWith(`${series} `))
  return Number(line?.slice(series.length))
}

const readOpen = (service: TestService) => readMetric(service, 'tallystick_connections')
const readRefused = (service: TestService, bound: string) =>
  readMetric(service, `tallystick_connections_refused_total{bound="${bound}"}`)

async function closeAll(service: TestService, sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => readOpen(service)).toBe(0)
}

describe.each([
  // The trusted proxy has no bound per address, so other clients use 127.0.0.2 and so on.
  ['tls', ['127.0.0.1', '127.0.0.2', '127.0.0.3']],
  ['proxy', ['127.0.0.2', '127.0.0.3', '127.0.0.4']],
] as const)('with listen.%s', (mode, [first, second, third]) => {
  const get = () => services[mode] as TestService

  test('error: one address cannot exceed its bound; others are served', async () => {
    const service = get()
    const before = await readRefused(service, 'address')
    const sockets = await Promise.all(Array.from({ length: perAddressMax }, () => open(service, first)))
    await expectRefused(service, first)
    await expectRefused(service, first)
    expect(await readRefused(service, 'address')).toBe(before + 2)
    sockets.push(await open(service, second))
    await expect.poll(() => readOpen(service)).toBe(perAddressMax + 1)

    sockets.shift()?.destroy()
    await expect.poll(() => readOpen(service)).toBe(perAddressMax)
    sockets.push(await open(service, first))
    await expect.poll(() => readOpen(service)).toBe(perAddressMax + 1)
    await closeAll(service, sockets)
  })

  test('error: a client with too many pipelined requests behind a stream is disconnected', async () => {
    const service = get()
    const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    const request = (path: string) => `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
    const { port } = new URL(service.baseUrl)
    const to = { port: Number(port), host: '127.0.0.1' }
    const socket = mode === 'tls' ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
    socket.on('error', () => undefined)
    socket.resume()
    socket.write(request('/events') + request('/notes').repeat(257))
    await once(socket, 'close')
    expect(await readMetric(service, 'tallystick_connections_cut_total{reason="pipelined"}')).toBe(1)
  })

  test('error: a full public listener closes new connections, and the admin listener still responds', async () => {
    const service = get()
    const before = await readRefused(service, 'all')
    const addresses = [first, first, first, second, second]
    const sockets = await Promise.all(addresses.map((address) => open(service, address)))
    await expectRefused(service, second)
    await expectRefused(service, third)
    expect(await readRefused(service, 'all')).toBe(before + 2)
    expect((await service.admin('/readyz')).status).toBe(200)
    await closeAll(service, sockets)
    const options = { headers: { ...headers, connection: 'close' }, ca: service.ca }
    expect((await sendRequest(`${service.baseUrl}/notes`, options)).status).toBe(200)
  })
})

test('error: a burst of stream resets ends the connection, and other clients are served', async () => {
  const service = services['tls'] as TestService
  const { port } = new URL(service.baseUrl)
  const tls = { port: Number(port), host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] }
  const socket = connectTls(tls)
  socket.on('error', () => undefined)
  socket.resume()
  socket.write(writeResets({ count: 1_000, headers }))
  await once(socket, 'close')
  expect(await readMetric(service, 'tallystick_connections_cut_total{reason="resets"}')).toBe(1)
  const options = { headers: { ...headers, connection: 'close' }, ca: service.ca }
  expect((await sendRequest(`${service.baseUrl}/notes`, options)).status).toBe(200)
})

test('behavior: a trusted proxy has no bound per address, only the total one', async () => {
  const service = services['proxy'] as TestService
  const before = await readRefused(service, 'address')
  const sockets = await Promise.all(Array.from({ length: max }, () => open(service, '127.0.0.1')))
  await expect.poll(() => readOpen(service)).toBe(max)
  await expectRefused(service, '127.0.0.1')
  expect(await readRefused(service, 'address')).toBe(before)
  await closeAll(service, sockets)
})

test('behavior: the admin listener has its own bound', async () => {
  const service = services['tls'] as TestService
  const admin = { ...service, baseUrl: service.adminUrl }
  const sockets = await Promise.all(Array.from({ length: 64 }, () => open(admin, '127.0.0.1')))
  await expectRefused(admin, '127.0.0.1')
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => service.admin('/livez').then(({ status }) => status, String)).toBe(200)
})

test('default: the bounds are printed at the start', () => {
  expect((services['tls'] as TestService).log()).toMatch(
    /up to 5 connections, 3 per address \(limit of open files: \d+\)/,
  )
})
