import { once } from 'node:events'
import { Agent, createServer, request as sendHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createMetrics } from '@tallystick/base'
import type { FastifyRequest } from 'fastify'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { httpMetricHelp, prepareFastPath, rememberAnswer } from '../src/index.ts'

type AnswerSource = Parameters<typeof rememberAnswer>[1]

type Setting = {
  readonly sourceOf: (url: string) => AnswerSource | undefined
  readonly admit?: () => string | undefined
}

/** Starts a server whose framework answers `framework` and remembers what `sourceOf` returns. */
async function startServer({ sourceOf, admit = () => '' }: Setting) {
  const state = { nowMs: 1_500 }
  const addFastPath = await prepareFastPath({
    admit,
    headersOf: () => ({ 'x-constant': '1' }),
    time: { now: () => state.nowMs, monotonic: () => performance.now() },
    metrics: createMetrics(httpMetricHelp),
    log: pino({ level: 'silent' }),
    nextRequestId: () => 'id',
  })
  const server = createServer()
  const handler = addFastPath((raw, response) => {
    const source = sourceOf(raw.url ?? '')
    if (source) rememberAnswer({ raw, routeOptions: { url: '/', config: {} } } as unknown as FastifyRequest, source)
    raw.resume()
    response.end('framework')
  }, server)
  server.on('request', handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const send = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const outgoing = sendHttp({ port, host: '127.0.0.1', path, headers, agent }).end()
    const [incoming] = await once(outgoing, 'response')
    return { status: incoming.statusCode, headers: incoming.headers, body: await text(incoming) }
  }
  return { state, send, bodyOf: async (path: string) => (await send(path)).body }
}

const response = (body: string, etag?: string) => ({ body, mediaType: 'text/plain', etag, headers: { 'x-own': '2' } })
const sourceOf = (body: string): AnswerSource => {
  const found = { body }
  return { recall: () => found, respond: () => response(body) }
}

test('default: a remembered request is answered with the constant headers, those of its answer and its own lines', async () => {
  const { send } = await startServer({ sourceOf: () => sourceOf('memory'), admit: () => 'x-limit: 3\r\n' })
  expect(await send('/a')).toMatchObject({ status: 200, body: 'framework' })
  for (let round = 0; round < 2; round += 1) {
    const { headers, ...others } = await send('/a')
    const { connection, 'keep-alive': keepAlive, ...own } = headers
    expect([others, connection]).toEqual([{ status: 200, body: 'memory' }, 'keep-alive'])
    expect(own).toEqual({
      'x-constant': '1',
      'x-own': '2',
      'x-limit': '3',
      'x-request-id': 'id',
      date: 'Thu, 01 Jan 1970 00:00:01 GMT',
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '6',
    })
  }
})

test('behavior: an answer is made once per second, and again when what it is made of changes', async () => {
  let found = { version: 1 }
  const made: number[] = []
  const source: AnswerSource = {
    recall: () => found,
    respond: (recalled, nowMs) => {
      made.push(nowMs)
      return response(`${(recalled as typeof found).version}`)
    },
  }
  const { state, bodyOf } = await startServer({ sourceOf: () => source })
  const bodies = [await bodyOf('/a'), await bodyOf('/a'), await bodyOf('/a')]
  found = { version: 2 }
  bodies.push(await bodyOf('/a'))
  // In the first millisecond of a second, a maximum age is 1 s higher than in the rest of it.
  for (const nowMs of [1_999, 2_000, 2_000, 2_001, 2_002]) {
    state.nowMs = nowMs
    bodies.push(await bodyOf('/a'))
  }
  expect(bodies).toEqual(['framework', '1', '1', '2', '2', '2', '2', '2', '2'])
  expect(made).toEqual([1_500, 1_500, 2_000, 2_000, 2_001])
})

test('behavior: what is not in memory or not admitted goes to the framework', async () => {
  const state: { found: object | undefined; lines: string | undefined } = { found: {}, lines: '' }
  const source = { recall: () => state.found, respond: () => response('memory') }
  const { bodyOf } = await startServer({ sourceOf: () => source, admit: () => state.lines })
  await bodyOf('/a')
  state.found = undefined
  expect(await bodyOf('/a')).toBe('framework')
  state.found = {}
  expect(await bodyOf('/a')).toBe('memory')
  state.lines = undefined
  expect(await bodyOf('/a')).toBe('framework')
})

test('behavior: the same path with another Accept is another request', async () => {
  const { send } = await startServer({ sourceOf: () => sourceOf('memory') })
  await send('/a', { accept: 'text/plain' })
  expect((await send('/a', { accept: 'text/html' })).body).toBe('framework')
  expect((await send('/a')).body).toBe('framework')
  expect((await send('/a', { accept: 'text/plain' })).body).toBe('memory')
})

test('behavior: 304 for a known entity tag, also for one in a list', async () => {
  const source = { recall: () => source, respond: () => response('memory', '"x"') }
  const { send } = await startServer({ sourceOf: () => source })
  await send('/a')
  for (const condition of ['"x"', 'W/"x"', '"y", "x"', '*']) {
    const { status, headers, body } = await send('/a', { 'if-none-match': condition })
    expect([status, body, headers['etag'], headers['content-length']]).toEqual([304, '', '"x"', undefined])
  }
  expect(await send('/a', { 'if-none-match': '"y"' })).toMatchObject({ status: 200, body: 'memory' })
})

test('behavior: 4,000 requests are remembered, the least recently used one is forgotten first', async () => {
  const { bodyOf } = await startServer({ sourceOf: () => sourceOf('memory') })
  await bodyOf('/first')
  await bodyOf('/second')
  for (let index = 0; index < 3_998; index += 1) await bodyOf(`/${index}`)
  expect(await bodyOf('/first')).toBe('memory')
  await bodyOf('/one-more')
  expect([await bodyOf('/first'), await bodyOf('/0'), await bodyOf('/second')]).toEqual([
    'memory',
    'memory',
    'framework',
  ])
})

test('behavior: remembered answers take 16 MiB at most, and a long address or a large answer is not remembered', async () => {
  const bodies = new Map([['/large', 'x'.repeat(256 * 1024 + 1)]])
  const { bodyOf } = await startServer({ sourceOf: (url) => sourceOf(bodies.get(url) ?? 'x'.repeat(200_000)) })
  const readTwice = async (path: string) => [await bodyOf(path), await bodyOf(path)]
  await readTwice('/first')
  // Each answer counts for three times its length, as text, as bytes and as what it is made of.
  for (let index = 0; index < 27; index += 1) await readTwice(`/${index}`)
  expect((await bodyOf('/26')).length).toBe(200_000)
  expect(await bodyOf('/first')).toBe('framework')
  expect(await readTwice(`/${'a'.repeat(9_000)}`)).toEqual(['framework', 'framework'])
  await readTwice('/large')
  expect(await bodyOf('/large')).toBe('framework')
})
