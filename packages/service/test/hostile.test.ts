// @module-tag slow

import { once } from 'node:events'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { errorBodySchema } from '@tallystick/core'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { codePoint } from './code-point.ts'
import { createDeferrals, createKey, newDatabase, secureContext, start, type TestService } from './harness.ts'

let service: TestService
let key: string
/** TLS session of the last connection. Resuming it saves most of the handshake. */
let session: Buffer | undefined
beforeAll(async () => {
  const { defer, finish } = createDeferrals()
  service = await start({ databaseUrl: await newDatabase('postgres', defer), at: '2026-11-15T12:00:00-05:00' }, defer)
  key = (await createKey(service)).secret
  defer(() => kept?.destroy())
  return finish
})

// Less than the 10 s after which the service closes a connection that hangs. While this process has to wait for a core, no
// tick passes.
const tickMs = 100
const answerTicksMax = 80

/** Connection that the service left open. Using it again saves most of the time of a request. */
let kept: TLSSocket | undefined

async function openConnection(): Promise<TLSSocket> {
  const { port } = new URL(service.baseUrl)
  const socket = connectTls({ port: Number(port), host: '127.0.0.1', secureContext, ...(session && { session }) })
  socket.on('session', (ticket) => {
    session = ticket
  })
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  return socket
}

/**
 * Sends bytes over TLS and returns the response bytes: until the connection is closed, or of one response if the request
 * has a certain end (`isFramed`). Fails after a timeout.
 */
async function exchange(bytes: Buffer, isFramed: boolean): Promise<string> {
  const socket = (isFramed ? kept : undefined) ?? (await openConnection())
  if (isFramed) kept = undefined
  let raw = ''
  await new Promise<void>((resolve) => {
    let ticks = 0
    const ticking = setInterval(() => {
      if (++ticks < answerTicksMax) return
      raw += 'HANGS'
      socket.destroy()
    }, tickMs)
    const finish = () => {
      clearInterval(ticking)
      socket.removeAllListeners('data').off('close', finish)
      resolve()
    }
    socket.on('close', finish)
    socket.on('data', (chunk) => {
      raw += chunk.toString('latin1')
      if (!isFramed || !isWholeResponse(raw)) return
      kept = socket
      finish()
    })
    socket.write(bytes)
  })
  return raw
}

/** Returns whether bytes are one whole response after which the connection stays open. */
function isWholeResponse(raw: string): boolean {
  const end = raw.indexOf('\r\n\r\n')
  const head = raw.slice(0, end)
  if (end < 0 || /^connection: close$/im.test(head)) return false
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? (/^HTTP\/1\.1 [23]04/.test(head) ? 0 : NaN))
  return raw.length >= end + 4 + length
}

/** Returns the status of each response. Checks that every error has our error body. */
function statusesOf(raw: string): number[] {
  return [...raw.matchAll(/HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n([\s\S]*?)(?=HTTP\/1\.1 \d|$)/g)].map(
    ([, status, body = '']) => {
      if (Number(status) >= 400 && body !== '')
        errorBodySchema.parse(JSON.parse(Buffer.from(body, 'latin1').toString()))
      return Number(status)
    },
  )
}

const token = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,20}$/)
const method = fc.oneof(
  { arbitrary: fc.constant('GET'), weight: 4 },
  fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY', 'get'),
  token,
)
const text = fc.string({ unit: codePoint, maxLength: 60 }).map((value) => value.replace(/[\r\n\0]/g, ''))
const queryValue = fc.oneof(
  text.map((value) => encodeURIComponent(value.replace(/[\ud800-\udfff]/g, ''))),
  fc.constantFrom('324', '0324', '7,14', '%', '%ff', '%00', '%E0%80', '[]', '{}', '__proto__', 'x'.repeat(5000)),
)
const queryName = fc.constantFrom('chainid', 'maturity', 'chainid[]', '__proto__', 'constructor', 'toString', '', 'x')
const query = fc.oneof(
  fc.constant(''),
  fc
    .array(fc.tuple(queryName, queryValue), { maxLength: 4 })
    .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&')),
)
const path = fc.oneof(
  { arbitrary: fc.constant('/notes'), weight: 4 },
  fc.constantFrom('/notes', '/notes/', '/', '//', '/notes/../notes', '/%6eotes', '/notes;x', '*', 'toString', '/%zz'),
  text.map((value) => `/${encodeURI(value.replace(/[\ud800-\udfff]/g, ''))}`),
)
const headerName = fc.oneof(
  fc.constantFrom('x-api-key', 'accept', 'if-none-match', 'content-type', 'content-length', 'transfer-encoding'),
  fc.constantFrom('expect', 'upgrade', 'host', 'x-forwarded-proto', 'x-request-id', 'range', 'cookie', '__proto__'),
  token,
)
const headerValue = fc.oneof(
  text,
  fc.constantFrom(
    'chunked',
    '0',
    '5',
    '-1',
    '99999999999',
    'gzip',
    'text/html',
    '*',
    'W/"x", "',
    '100-continue',
    'h2c',
  ),
)
const headers = fc.oneof(fc.constant([]), fc.array(fc.tuple(headerName, headerValue), { maxLength: 6 }))
const body = fc.oneof(fc.constant(''), fc.json(), text, fc.constant('x'.repeat(70_000)))

/** Headers that decide where a request or the connection ends. */
const framingNames = /^(connection|content-length|expect|transfer-encoding|upgrade)$/i

/** Returns whether a request has exactly one response, whose end is known. */
function isFramedBy(verb: string, given: readonly (readonly [string, string])[]): boolean {
  const isOneLine = (value: string) => /^[\x20-\xff]*$/.test(value)
  return verb !== 'HEAD' && given.every(([name, value]) => !framingNames.test(name) && isOneLine(value))
}

test('behavior: no request causes a 500 or a hang, and every error has our error body', async () => {
  const seen = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(
      method,
      path,
      query,
      headers,
      body,
      fc.boolean(),
      async (verb, where, asked, lines, content, withKey) => {
        const target = asked === '' ? where : `${where}?${asked}`
        const isFramed = isFramedBy(verb, lines)
        const all: [string, string][] = [...lines]
        if (!lines.some(([name]) => name.toLowerCase() === 'host')) all.push(['host', 'localhost'])
        if (withKey) all.unshift(['x-api-key', key])
        if (content !== '' && !lines.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name))) {
          all.push(['content-length', String(Buffer.byteLength(content))])
        }
        if (!isFramed) all.push(['connection', 'close'])
        const head = [`${verb} ${target} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', ''].join(
          '\r\n',
        )
        const raw = await exchange(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(content)]), isFramed)
        expect(raw).not.toContain('HANGS')
        const statuses = statusesOf(raw)
        if (isFramed) expect(statuses).toHaveLength(1)
        for (const status of statuses) {
          expect(status).not.toBe(500)
          seen.set(status, (seen.get(status) ?? 0) + 1)
        }
      },
    ),
    { numRuns: 1500, seed: 20261115, endOnFailure: true },
  )
  // Checks that the requests did not all fail at the same check.
  for (const status of [200, 400, 403, 404, 405]) expect(seen.get(status), `status ${status}`).toBeGreaterThan(0)
  expect((await service.call('/notes', { headers: { 'x-api-key': key } })).status).toBe(200)
  expect(service.log()).not.toContain('internal error')
})
