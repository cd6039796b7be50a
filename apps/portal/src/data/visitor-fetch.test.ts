import { expect, test } from 'vitest'
import { createVisitorFetch } from './visitor-fetch.ts'

const lifetimeSeconds = 600

/** A service that issues tokens `t1`, `t2`…, accepts those from `validFrom` on, and a clock. */
function create() {
  const service = { nowMs: 0, issued: 0, validFrom: 1, visits: 0, visitStatus: 200, isOff: false }
  const seen: (string | undefined)[] = []
  const respond = (status: number, body: object) => new Response(JSON.stringify(body), { status })
  const fetch = createVisitorFetch({
    now: () => service.nowMs,
    fetch: async (url, init) => {
      await undefined
      if (url === '/portal/visit') {
        service.visits += 1
        if (service.visitStatus !== 200) return respond(service.visitStatus, { code: 'x' })
        service.issued += 1
        return respond(200, { token: `t${service.issued}`, expiresInSeconds: lifetimeSeconds })
      }
      const token = new Headers(init.headers).get('x-tallystick-visitor') ?? undefined
      seen.push(token)
      if (service.isOff || token === undefined) return respond(403, { code: 'invalid_api_key' })
      if (Number(token.slice(1)) < service.validFrom) return respond(403, { code: 'visitor_token_expired' })
      return respond(200, { url })
    },
  })
  const get = (path = '/notes') => fetch(path, { headers: { accept: 'application/json' } })
  return { service, seen, get }
}

test('default: one token for all requests that wait for it, renewed before it expires', async () => {
  const { service, seen, get } = create()
  const answers = await Promise.all([get(), get('/rate'), get('/data')])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  service.nowMs = 419_999
  await get()
  expect([service.visits, seen]).toEqual([1, ['t1', 't1', 't1', 't1']])
  service.nowMs = 420_000
  await Promise.all([get(), get()])
  expect([service.visits, seen.slice(4)]).toEqual([2, ['t2', 't2']])
})

test('behavior: a token that is refused after sleep is renewed once, and each request is sent again', async () => {
  const { service, seen, get } = create()
  await get()
  service.validFrom = 2
  const answers = await Promise.all([get(), get(), get()])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect([service.visits, seen]).toEqual([2, ['t1', 't1', 't1', 't1', 't2', 't2', 't2']])
})

test('error: a new token that is refused too is not renewed without end', async () => {
  const { service, get } = create()
  await get()
  service.validFrom = 99
  expect((await get()).status).toBe(403)
  expect(service.visits).toBe(2)
})

test('error: while tokens cannot be renewed, the one at hand is used as long as the service accepts it', async () => {
  const { service, get } = create()
  await get()
  service.nowMs = 420_000
  service.visitStatus = 503
  expect((await get()).status).toBe(200)
  service.validFrom = 2
  expect((await get()).status).toBe(503)
  service.visitStatus = 200
  expect((await get()).status).toBe(200)
})

test('error: a limit of visits is the response to the request', async () => {
  const { service, seen, get } = create()
  service.visitStatus = 429
  expect((await get()).status).toBe(429)
  expect(seen).toEqual([])
})

test('error: without visitors the service itself says that a key is missing', async () => {
  const { service, seen, get } = create()
  await get()
  service.visitStatus = 404
  service.isOff = true
  const answer = await get()
  expect([answer.status, await answer.json()]).toEqual([403, { code: 'invalid_api_key' }])
  expect(seen).toEqual(['t1', 't1', undefined])
})
