import { once } from 'node:events'
import { connect } from 'node:tls'
import { type PrebuiltWriter, prebuiltWriter } from '@tallystick/http'
import type { Answer } from '@tallystick/workbench/send-request'
import { beforeAll, expect, test } from 'vitest'
import { createDeferrals, createKey, newDatabase, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
let service: TestService
const keys: Record<string, string> = {}

beforeAll(async () => {
  // Within a second, not at its beginning: what the fast path makes then is kept for the requests that follow.
  service = await start({ databaseUrl: await newDatabase('postgres', defer), at: '2026-11-15T12:00:00.5-05:00' }, defer)
  for (const [name, request] of Object.entries({
    unlimited: {},
    limited: { rpm: 1_000 },
    other: { scopes: ['data'] },
  })) {
    keys[name] = (await createKey(service, request)).secret
  }
  return finish
})

// JSON in more words than the fast path reads: what has this header goes through the framework, whose rules are the rules.
const slow = { accept: 'application/json, */*;q=0.5' }

/** All of an answer but what has to differ from one request to the next. */
function comparable({ status, headers, body }: Answer) {
  const { 'x-request-id': id, 'content-length': length, ratelimit, ...others } = headers
  expect(id).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/)
  // Both run down: the one with each request, the other with each second, which may end between two requests.
  const left = String(ratelimit).replace(/;r=\d{1,4};t=\d{1,2}$/, ';r=;t=')
  if (status >= 400) return { status, headers: others, left, code: JSON.parse(body).code }
  return { status, headers: others, left, length, body }
}

test('default: what the fast path answers is what the framework answers, header by header', async () => {
  const etag = (await service.call('/notes', { headers: { 'x-api-key': keys['unlimited'] ?? '' } })).headers.etag ?? ''
  const etagOf324 =
    (await service.call('/notes?chainid=324', { headers: { 'x-api-key': keys['unlimited'] ?? '' } })).headers.etag ?? ''
  const paths = ['/notes', '/notes?chainid=324', '/notes?chainid=325', '/notes?maturity=7', '/notes?', '/notes/']
  const variants = [
    {},
    { 'if-none-match': etag },
    { 'if-none-match': etagOf324 },
    { 'if-none-match': '*' },
    { 'if-none-match': 'W/"x"' },
  ]
  const seen = new Set<number>()
  for (const path of paths) {
    for (const secret of [keys['unlimited'], keys['limited'], keys['other'], 'nothing', undefined]) {
      for (const variant of variants) {
        const headers = { ...(secret !== undefined && { 'x-api-key': secret }), ...variant }
        const fast = await service.call(path, { headers })
        const framework = await service.call(path, { headers: { ...headers, ...slow } })
        expect([path, variant, comparable(fast)]).toEqual([path, variant, comparable(framework)])
        seen.add(fast.status)
      }
    }
  }
  expect([...seen].sort()).toEqual([200, 304, 400, 403, 404])
})

/** All that a connection gets for some bytes, until the service closes it. */
async function sendRaw(text: string): Promise<string> {
  const { port } = new URL(service.baseUrl)
  const socket = connect({ port: Number(port), host: '127.0.0.1', ca: service.ca })
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.write(text)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

test('behavior: on one connection the fast path and the framework write byte-identical responses', async () => {
  const etag = (await service.call('/notes', { headers: { 'x-api-key': keys['unlimited'] ?? '' } })).headers.etag ?? ''
  for (const secret of [keys['unlimited'], keys['limited']]) {
    for (const condition of ['', `if-none-match: ${etag}\r\n`]) {
      const request = `GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${secret}\r\n${condition}`
      const [slowly, quickly] = await Promise.all(
        ['accept: application/json, */*;q=0.5\r\n', ''].map((extra) =>
          sendRaw(`${`${request}${extra}\r\n`.repeat(5)}${request}${extra}connection: close\r\n\r\n`),
        ),
      )
      const answersOf = (text = '') => text.split('HTTP/1.1 ').slice(1).map(normalise)
      const answers = answersOf(quickly)
      expect(answers).toHaveLength(6)
      expect(new Set(answers.slice(0, 5)).size).toBe(1)
      expect(sortHead(answers[0])).toEqual(sortHead(answersOf(slowly)[0]))
      expect(sortHead(answers[5])).toEqual(sortHead(answersOf(slowly)[5]))
      expect(answers[0]).toContain('Connection: keep-alive\r\nKeep-Alive: timeout=72\r\n')
      expect(answers[5]?.toLowerCase()).toContain('connection: close\r\n')
      expect(answers[0]?.startsWith(condition === '' ? '200 OK\r\n' : '304 Not Modified\r\n')).toBe(true)
    }
  }
})

// A second may end between two answers.
const normalise = (answer: string) =>
  answer.replace(/(?<=x-request-id: )\S+/, 'id').replace(/(?<=;r=)\d+;t=\d+/, 'left')
const sortHead = (answer = '') => {
  const [head = '', body] = answer.split('\r\n\r\n')
  return [head.toLowerCase().split('\r\n').sort(), body]
}

test('behavior: an older client is answered too', async () => {
  const [head = '', body] = (await sendRaw(`GET /notes HTTP/1.0\r\nx-api-key: ${keys['limited']}\r\n\r\n`)).split(
    '\r\n\r\n',
  )
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(head).toMatch(/connection: close/i)
  expect(JSON.parse(body ?? '').data).toHaveLength(3)
})

test('behavior: the two count on one allowance', async () => {
  const { secret } = await createKey(service, { rpm: 4 })
  const statuses: number[] = []
  for (const extra of [{}, slow, {}, slow, {}, slow, {}]) {
    statuses.push((await service.call('/notes', { headers: { 'x-api-key': secret, ...extra } })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429])
})

test('behavior: both are counted as one route', async () => {
  const count = async () =>
    Number(/requests_total\{route="\/notes",status="200"\} (\d+)/.exec((await service.admin('/metrics')).body)?.[1])
  const before = await count()
  const headers = { 'x-api-key': keys['unlimited'] ?? '' }
  await service.call('/notes', { headers })
  await service.call('/notes', { headers: { ...headers, ...slow } })
  expect((await count()) - before).toBe(2)
})

test('error: where prebuilt responses differ from those of Node, the framework answers and one line says so', async () => {
  const differing: PrebuiltWriter = {
    ...prebuiltWriter,
    send: (response, { before, after }, lines) =>
      prebuiltWriter.send(response, { before, after: `x-differs: 1\r\n${after}` }, lines),
  }
  const databaseUrl = await newDatabase('postgres')
  const without = await start({ databaseUrl, at: '2026-11-15T12:00:00.5-05:00', prebuiltWriter: differing })
  const { secret } = await createKey(without)
  const headers = { 'x-api-key': keys['unlimited'] ?? '' }
  for (let count = 0; count < 3; count += 1) {
    const answer = await without.call('/notes', { headers: { 'x-api-key': secret } })
    expect(comparable(answer)).toEqual(comparable(await service.call('/notes', { headers })))
  }
  const lines = without
    .log()
    .split('\n')
    .filter((line) => line.includes('fast path disabled'))
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, node: process.version }])
  expect(service.log()).not.toContain('fast path disabled')
})
