import { once } from 'node:events'
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { errorBodySchema } from '@tallystick/core'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createDeferrals, createKey, newDatabase, start, type TestService } from './harness.ts'

let service: TestService
let key: string
let secureContext: SecureContext
/** TLS session of the last connection. Resuming it saves most of the handshake. */
let session: Buffer | undefined
beforeAll(async () => {
  const { defer, finish } = createDeferrals()
  service = await start({ databaseUrl: await newDatabase('postgres', defer), at: '2026-11-15T12:00:00-05:00' }, defer)
  key = (await createKey(service)).secret
  secureContext = createSecureContext({ ca: service.ca })
  return finish
})

// Less than the 10 s after which the service closes a connection that hangs.
const answerMsMax = 8_000

/** Sends bytes over TLS, half-closes and returns the response bytes. Fails after a timeout. */
async function exchange(bytes: Buffer): Promise<string> {
  const { port } = new URL(service.baseUrl)
  const socket = connectTls({ port: Number(port), host: '127.0.0.1', secureContext, ...(session && { session }) })
  socket.on('session', (ticket) => {
    session = ticket
  })
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => undefined)
  const late = setTimeout(() => {
    chunks.push(Buffer.from('HANGS'))
    socket.destroy()
  }, answerMsMax)
  await once(socket, 'secureConnect')
  socket.write(bytes)
  await once(socket, 'close')
  clearTimeout(late)
  return Buffer.concat(chunks).toString('latin1')
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
const text = fc.string({ unit: 'binary', maxLength: 60 }).map((value) => value.replace(/[\r\n\0]/g, ''))
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

test('behavior: no request causes a 500 or a hang, and every error has our error body', {
  timeout: 240_000,
}, async () => {
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
        const all: [string, string][] = [...lines, ['connection', 'close']]
        if (!lines.some(([name]) => name.toLowerCase() === 'host')) all.push(['host', 'localhost'])
        if (withKey) all.unshift(['x-api-key', key])
        if (content !== '' && !lines.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name))) {
          all.push(['content-length', String(Buffer.byteLength(content))])
        }
        const head = [`${verb} ${target} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', ''].join(
          '\r\n',
        )
        const raw = await exchange(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(content)]))
        expect(raw).not.toContain('HANGS')
        for (const status of statusesOf(raw)) {
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
