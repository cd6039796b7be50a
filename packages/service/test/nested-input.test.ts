import { errorBodySchema } from '@tallystick/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { chain324, createDeferrals, createKey, newDatabase, start, type TestService } from './harness.ts'

const query = 'query ($where: PositionInfo_filter) { positionInfos(where: $where) { id } }'
const json = { 'content-type': 'application/json' }
let service: TestService
let key: string

beforeAll(async () => {
  const { defer, finish } = createDeferrals()
  // Nothing listens at the RPC. Queries reach the database, which is empty.
  const chain = { ...chain324, rpc: ['http://127.0.0.1:1'], subgraph: { embedded: { positions: chain324.pool } } }
  const config = { chains: [chain] }
  service = await start({ databaseUrl: await newDatabase('postgres', defer), config }, defer)
  key = (await createKey(service)).secret
  return finish
})

const shapes = {
  arrays: (levels: number) => '['.repeat(levels) + ']'.repeat(levels),
  objects: (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
}
/** Number of levels that fit into a body of 64 KiB. */
const deepest = { arrays: 32_000, objects: 10_500 }

const postTo = (path: string, body: string) =>
  service.call(path, { method: 'POST', headers: { ...json, 'x-api-key': key }, body })
const dataBody = (where: string) => `{"query":${JSON.stringify(query)},"variables":{"chains":[324],"where":${where}}}`

const publicPaths = ['/data', '/graphql', '/subgraphs/324']

describe.each(['arrays', 'objects'] as const)('nested %s', (shape) => {
  const nested = shapes[shape]

  test.each(publicPaths)('error: POST %s rejects variables that are too deep', async (path) => {
    for (const levels of [60, 1_000, 5_000, deepest[shape]]) {
      const answer = await postTo(path, dataBody(nested(levels)))
      expect([levels, answer.status, answer.json().code]).toEqual([levels, 400, 'invalid_request'])
      expect(answer.json().message).toBe('"variables" is nested deeper than 60 levels. Send a flatter value.')
    }
  })

  test.each(publicPaths)('error: POST %s rejects the same in other members and as the whole body', async (path) => {
    const deep = nested(deepest[shape])
    const text = JSON.stringify(query)
    for (const body of [
      deep,
      `{"query":${deep}}`,
      `{"query":${text},"variables":${deep}}`,
      `{"query":${text},"extensions":${deep}}`,
      `{"query":${text},"operationName":${deep}}`,
      `{"query":${text},"variables":{"chains":${deep}}}`,
      `{"query":${text},"x":${deep}}`,
    ]) {
      const answer = await postTo(path, body)
      expect([body.slice(0, 120), answer.status]).toEqual([body.slice(0, 120), 400])
      expect(errorBodySchema.parse(answer.json()).message).toMatch(/nested deeper than 60 levels/)
    }
  })

  test('error: GET /subgraphs/324', async () => {
    // The size limit of a request's head is smaller than that of a body.
    for (const levels of [60, 200, 800]) {
      const search = new URLSearchParams({ query, variables: `{"where":${nested(levels)}}` })
      const answer = await service.call(`/subgraphs/324?${search}`)
      expect([levels, answer.status]).toEqual([levels, 400])
      expect(answer.json().message).toBe('"variables" is nested deeper than 60 levels. Send a flatter value.')
    }
  })

  test.each(['/keys', '/curve', '/keys/x/rotate', '/keys/x/revoke'])(
    'error: POST %s of the admin listener',
    async (path) => {
      const deep = nested(deepest[shape])
      for (const body of [deep, `{"name":${deep}}`, `{"points":${deep},"by":"x"}`, `{"graceSeconds":${deep}}`]) {
        const answer = await service.admin(path, { method: 'POST', headers: json, body })
        expect(answer.status).toBe(400)
        expect(errorBodySchema.parse(answer.json()).message).toMatch(/nested deeper than 60 levels/)
      }
    },
  )
})

test('behavior: input within the limit reaches the subgraph, which does not cause a 500', async () => {
  for (const where of [shapes.objects(10), shapes.objects(51), shapes.arrays(58), '{"and":[{"or":[{"id":"1"}]}]}']) {
    for (const path of publicPaths) {
      const answer = await postTo(path, dataBody(where))
      expect(answer.body).not.toContain('nested deeper than 60')
      expect([path, answer.status]).not.toEqual([path, 500])
    }
  }
})

const oddities = [
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"id":"\\ud800"}',
  '{"\\udc00":1}',
  '{"id":"\\u0000"}',
  '{"id_in":["\\ud83d","\\u0000"]}',
  '{"toString":1,"hasOwnProperty":2}',
  '1e999',
  '{"tokenId":1e400}',
  '{"tokenId":123456789012345678901234567890}',
]

test.each(publicPaths)(
  'error: member names such as __proto__, lone surrogates and huge numbers on %s cause no 500',
  async (path) => {
    for (const value of oddities) {
      for (const body of [
        dataBody(value),
        `{"query":${JSON.stringify(query)},"variables":{"chains":[324],"chains2":${value}},"extensions":${value}}`,
        `{"query":${JSON.stringify(query)},"variables":{"chains":[${value}]}}`,
        `{"query":"{ positionInfos(where: {id: \\"\\ud800\\"}) { id } }","variables":{"chains":[324]},"operationName":"\\udfff"}`,
      ]) {
        const answer = await postTo(path, body)
        expect([body, answer.status]).not.toEqual([body, 500])
      }
    }
    const search = (value: string) => new URLSearchParams({ query, variables: `{"where":${value}}` })
    for (const value of oddities) {
      const answer = await service.call(`/subgraphs/324?${search(value)}`)
      expect([value, answer.status]).not.toEqual([value, 500])
    }
  },
)

test('error: a lone surrogate is rejected with a message', async () => {
  const body = dataBody('{"id":"\\ud800"}')
  const search = new URLSearchParams({ query, variables: '{"where":{"\\ud800":1}}' })
  for (const answer of [
    ...(await Promise.all(publicPaths.map((path) => postTo(path, body)))),
    await service.call(`/subgraphs/324?${search}`),
  ]) {
    expect(answer.status).toBe(400)
    expect(answer.json().message).toMatch(/^"variables" contains an unpaired surrogate/)
  }
  const whole = await postTo('/subgraphs/324', dataBody('{"id":"\\ud83d\\ude00"}'))
  expect(whole.status).toBe(200)
})

test('error: the same in admin bodies causes no 500', async () => {
  const texts = ['"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"__proto__"', '1e999']
  for (const value of [...oddities, ...texts]) {
    for (const [path, body] of [
      ['/keys', `{"name":${value}}`],
      ['/keys', `{"name":"x","user":${value},"scopes":[${value}],"expires":${value},"rpm":${value}}`],
      ['/keys', `{"name":"x","user":${value}}`],
      ['/curve', `{"points":${value},"by":"x"}`],
      ['/curve', `{"points":{"7":${value}},"by":"x"}`],
      ['/curve', `{"points":{"7":369,"14":365,"30":362},"by":${value},"note":${value}}`],
      ['/curve', `{"points":{"7":369,"14":365,"30":362},"by":${value}}`],
      ['/keys/x/rotate', `{"graceSeconds":${value}}`],
      ['/keys/%00/rotate', '{}'],
      ['/keys/%00/revoke', '{}'],
      ['/keys/%ED%A0%80/revoke', '{}'],
    ] as const) {
      const answer = await service.admin(path, { method: 'POST', headers: json, body })
      expect([path, body, answer.status]).not.toEqual([path, body, 500])
    }
  }
  expect(service.log()).not.toContain('internal error')
})
