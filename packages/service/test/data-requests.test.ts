import { createHash } from 'node:crypto'
import { Session } from 'node:inspector/promises'
import { errorBodySchema, positionQuery } from '@tallystick/core'
import { startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import { waitOptions } from '@tallystick/workbench/wait-options'
import fc from 'fast-check'
import { getIntrospectionQuery } from 'graphql'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { codePoint } from './code-point.ts'
import { createPostData, type PostData } from './data-client.ts'
import { chain324, createDeferrals, createKey, newDatabase, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
const wallet = '0x1a642f0e3c3af545e7acbd38b07251b3990914f1'
const chains = [324]
let service: TestService
let post: PostData

beforeAll(async () => {
  const node = await startDevChain({ chainId: 324 })
  defer(() => node.stop())
  const subgraph = { embedded: { positions: '0x0000000000000000000000000000000000000abc' } }
  const config = {
    chains: [
      { ...chain324, rpc: [node.url], subgraph },
      { id: 325, name: 'none', pool: chain324.pool },
    ],
  }
  service = await start({ databaseUrl: await newDatabase('postgres', defer), config }, defer)
  post = await createPostData(service)
  const query = '{ _meta { block { number } } }'
  const isIndexed = async () => expect((await post({ query, variables: { chains } })).status).toBe(200)
  await vi.waitFor(isIndexed, waitOptions)
  return finish
})

describe('answers', () => {
  test('default: responds with one array element per chain and a header with the block', async () => {
    const answer = await post({ query: positionQuery, variables: { chains, walletAddress: wallet } })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['x-tallystick-chains']).toMatch(/^324;block=0;lag=\d+;source=embedded$/)
    expect(answer.json()).toEqual([{ chain: 324, data: { positionInfos: [] } }])
  })

  test('default: /graphql gives the same response with a deprecation header', async () => {
    const body = { query: positionQuery, variables: { chains, walletAddress: wallet } }
    const answer = await post(body, { path: '/graphql' })
    expect(answer.json()).toEqual((await post(body)).json())
    expect(answer.headers['deprecation']).toMatch(/^@\d+$/)
    expect(answer.headers['link']).toBe('</data>; rel="successor-version"')
    const bad = await post({}, { path: '/graphql' })
    expect(bad.headers['deprecation']).toMatch(/^@\d+$/)
    expect((await post(body)).headers['deprecation']).toBeUndefined()
  })

  test('behavior: supports fragments, aliases, directives, operationName and introspection', async () => {
    const query = `
      query A { pools { id } }
      query B($yes: Boolean!) { list: pools(first: 1) { ...P } positionInfos @skip(if: $yes) { id } __typename }
      fragment P on Pool { id ... on Pool @include(if: $yes) { paused } }`
    const answer = await post({ query, operationName: 'B', variables: { chains, yes: true }, extensions: { a: 1 } })
    expect(answer.json()).toEqual([{ chain: 324, data: { list: [], __typename: 'Query' } }])
    const introspection = await post({ query: getIntrospectionQuery(), variables: { chains } })
    expect(introspection.json()[0].data.__schema.queryType.name).toBe('Query')
  })

  test('behavior: `chains` may be declared as a variable of the query', async () => {
    const query = 'query ($chains: [Int!]!, $first: Int!) { pools(first: $first) { id } }'
    const answer = await post({ query, variables: { chains, first: 1 } })
    expect(answer.body).toBe('[{"chain":324,"data":{"pools":[]}}]')
  })

  test('behavior: the added head selection is not in the response', async () => {
    const { body } = await post({ query: '{ pools { id } }', variables: { chains } })
    expect(body).toBe('[{"chain":324,"data":{"pools":[]}}]')
  })
})

test('behavior: queries to the embedded subgraph have the same metrics as remote ones', async () => {
  const body = { query: `{ pools(first: 7) { id } }`, variables: { chains } }
  await post(body)
  const metrics = (await service.admin('/metrics')).body
  expect(metrics).toMatch(/tallystick_data_upstream_total\{chain="324",upstream="embedded",outcome="ok"\} [1-9]/)
  expect(metrics).toMatch(/tallystick_data_upstream_seconds_count\{chain="324",upstream="embedded"\} [1-9]/)
})

test('behavior: a query is parsed once, however it is sent, and not again while its text is known', async () => {
  const query = 'query ($chains: [Int!]!, $first: Int) { pools(first: $first) { id paused } }'
  const ask = (first: number) => post({ query, variables: { chains, first } })
  expect(await countParses(() => ask(3))).toBe(1)
  expect(await countParses(() => ask(4))).toBe(0)
  const path = '/data/324'
  expect(await countParses(() => post({ query: '{ pools { signer } }' }, { path }))).toBe(1)
})

/** Counts the calls of the parser of GraphQL in this process. */
async function countParses(work: () => Promise<{ readonly status: number }>): Promise<number> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true })
    expect((await work()).status).toBe(200)
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const functions = result.filter(({ url }) => /\/graphql\/language\/parser\.m?js$/.test(url))
    const parses = functions.flatMap((script) =>
      script.functions.filter(({ functionName }) => functionName === 'parse'),
    )
    return parses.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0)
  } finally {
    session.disconnect()
  }
}

describe('error: the body', () => {
  const query = '{ pools { id } }'
  test.each([
    ['invalid JSON', '{', 400, 'invalid_request'],
    ['an empty body', '', 400, 'invalid_request'],
    ['a list', '[]', 400, 'invalid_request'],
    ['null', 'null', 400, 'invalid_request'],
    ['an empty object', '{}', 400, 'invalid_request'],
    ['a query that is not a string', { query: 1, variables: { chains } }, 400, 'invalid_request'],
    ['an unknown member', { query, variables: { chains }, chains }, 400, 'invalid_request'],
    ['variables that are a list', { query, variables: [] }, 400, 'invalid_request'],
    ['variables that are null', { query, variables: null }, 400, 'invalid_request'],
    [
      'an operationName that is not a string',
      { query, variables: { chains }, operationName: 1 },
      400,
      'invalid_request',
    ],
    ['extensions that are a string', { query, variables: { chains }, extensions: 'x' }, 400, 'invalid_request'],
    [
      'a member __proto__',
      `{"query":"{ a }","variables":{"chains":[324],"__proto__":{"a":1}}}`,
      400,
      'invalid_request',
    ],
    ['no variables', { query }, 400, 'invalid_chains'],
    ['no chains', { query, variables: {} }, 400, 'invalid_chains'],
    ['chains that are null', { query, variables: { chains: null } }, 400, 'invalid_chains'],
    ['chains that are a number', { query, variables: { chains: 324 } }, 400, 'invalid_chains'],
    ['an empty list of chains', { query, variables: { chains: [] } }, 400, 'invalid_chains'],
    ['a chain twice', { query, variables: { chains: [324, 324] } }, 400, 'invalid_chains'],
    ['a chain as a string', { query, variables: { chains: ['324'] } }, 400, 'invalid_chains'],
    ['a chain that is null', { query, variables: { chains: [null] } }, 400, 'invalid_chains'],
    ['an unknown chain', { query, variables: { chains: [324, 1] } }, 400, 'invalid_chains'],
    ['a chain without a subgraph', { query, variables: { chains: [325] } }, 400, 'invalid_chains'],
    ['a fractional chain', '{"query":"{ a }","variables":{"chains":[324.5]}}', 400, 'invalid_chains'],
    ['20,000 chains', { query, variables: { chains: Array(20_000).fill(1) } }, 400, 'invalid_chains'],
    ['an unknown field', { query: '{ nothing }', variables: { chains } }, 400, 'query_rejected'],
    ['a mutation', { query: 'mutation { a }', variables: { chains } }, 400, 'query_rejected'],
    ['an empty query', { query: '', variables: { chains } }, 400, 'query_rejected'],
    [
      '`chains` as an argument',
      { query: 'query ($chains: [Int!]!) { pools(first: $chains) { id } }', variables: { chains } },
      400,
      'query_rejected',
    ],
    ['a missing variable', { query: positionQuery, variables: { chains } }, 400, 'query_rejected'],
    ['a wrong variable', { query: positionQuery, variables: { chains, walletAddress: 'x' } }, 400, 'query_rejected'],
    ['more than 64 KiB', { query: 'x'.repeat(66_000), variables: { chains } }, 413, 'payload_too_large'],
  ])('%s', async (_, body, status, code) => {
    const answer = await post(body)
    expect([answer.status, errorBodySchema.parse(answer.json()).code]).toEqual([status, code])
  })

  test('another media type', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/graphql', 'application/x-www-form-urlencoded']) {
      const answer = await post('{ pools { id } }', { headers: { 'content-type': type } })
      expect([answer.status, answer.json().code]).toEqual([415, 'unsupported_media_type'])
    }
  })

  test('a query rejected by every chain has the error of each', async () => {
    const { details } = (await post({ query: '{ nothing }', variables: { chains } })).json()
    expect(details.chains).toEqual([
      { chain: 324, errors: [{ code: 'query_rejected', message: expect.stringContaining('"nothing"') }] },
    ])
  })
})

describe('the order of checks', () => {
  test('error: responds 403 without a key, whatever the body', async () => {
    for (const body of ['{', '{}', 'x'.repeat(70_000)]) {
      const answer = await post(body, { headers: { 'x-api-key': 'nothing' } })
      expect([answer.status, answer.json().code]).toEqual([403, 'invalid_api_key'])
    }
  })

  test('error: rejects a key without the scope, a used-up rate limit and another method', async () => {
    const { secret: other } = await createKey(service, { scopes: ['notes'] })
    const refused = await post('{', { headers: { 'x-api-key': other } })
    expect([refused.status, refused.json().code]).toEqual([403, 'insufficient_scope'])
    const { secret: spent } = await createKey(service, { rpm: 1 })
    await post('{', { headers: { 'x-api-key': spent } })
    const limited = await post('{', { headers: { 'x-api-key': spent } })
    expect([limited.status, limited.json().code]).toEqual([429, 'rate_limited'])
    const { secret } = await createKey(service)
    const get = await service.call('/data', { headers: { 'x-api-key': secret } })
    expect([get.status, get.headers['allow']]).toEqual([405, 'POST'])
  })
})

describe('/data/<chainid>', () => {
  const query = '{ pools { id } }'
  const path = '/data/324'
  const graphqlType = 'application/graphql-response+json; charset=utf-8'
  const jsonType = 'application/json; charset=utf-8'
  const get = (parameters: Record<string, string> | string, headers: Record<string, string> = {}) =>
    service.call(`${path}?${new URLSearchParams(parameters)}`, { headers: { 'x-api-key': key, ...headers } })
  let key: string
  beforeAll(async () => {
    key = (await createKey(service, { scopes: ['data'] })).secret
  })

  test('default: POST and GET answer alike, with the headers of /data', async () => {
    const variables = { yes: true }
    const text = 'query A { pools { id } } query B($yes: Boolean!) { pools @skip(if: $yes) { id } __typename }'
    const posted = await post({ query: text, variables, operationName: 'B', extensions: { a: 1 }, more: 1 }, { path })
    const got = await get({ query: text, variables: JSON.stringify(variables), operationName: 'B', extensions: '{}' })
    for (const answer of [posted, got]) {
      expect([answer.status, answer.body]).toEqual([200, '{"data":{"__typename":"Query"}}'])
      expect(answer.headers['content-type']).toBe(graphqlType)
      expect(answer.headers['cache-control']).toBe('no-store')
    }
    const { headers } = await post({ query }, { path })
    expect(headers['x-tallystick-chains']).toMatch(/^324;block=0;lag=\d+;source=embedded$/)
    const head = await service.call(`${path}?query={pools{id}}`, { method: 'HEAD', headers: { 'x-api-key': key } })
    expect([head.status, head.body, head.headers['content-type']]).toEqual([200, '', graphqlType])
  })

  test('behavior: null members are absent ones, and a query of /data works unchanged', async () => {
    const absent = { variables: null, operationName: null, extensions: null }
    expect((await post({ query, ...absent }, { path })).body).toBe('{"data":{"pools":[]}}')
    expect((await get({ query, operationName: '' })).body).toBe('{"data":{"pools":[]}}')
    const declared = 'query ($chains: [Int!]!) { pools { id } }'
    expect((await post({ query: declared, variables: { chains } }, { path })).body).toBe('{"data":{"pools":[]}}')
    const other = await post({ query: declared, variables: { chains: [324, 325] } }, { path })
    expect(other.json().errors[0]).toMatchObject({ extensions: { code: 'invalid_chains' } })
  })

  test('behavior: the two media types and the status of each', async () => {
    const bodies = [{ query }, { query: '{ nothing }' }, { query: '{' }, {}]
    const accepts: readonly [string | undefined, string, readonly number[]][] = [
      [undefined, graphqlType, [200, 400, 400, 400]],
      ['*/*', graphqlType, [200, 400, 400, 400]],
      ['application/graphql-response+json; charset=utf-8, application/json;q=0.9', graphqlType, [200, 400, 400, 400]],
      ['application/json', jsonType, [200, 200, 200, 400]],
      ['application/json, application/graphql-response+json;q=0.5', jsonType, [200, 200, 200, 400]],
      ['text/html', jsonType, [406, 406, 406, 406]],
    ]
    for (const [accept, type, statuses] of accepts) {
      const answers = []
      for (const body of bodies) answers.push(await post(body, { path, headers: accept ? { accept } : {} }))
      expect(answers.map(({ status }) => status)).toEqual(statuses)
      expect(new Set(answers.map(({ headers }) => headers['content-type']))).toEqual(new Set([type]))
      // Strictly GraphQL, except where the specification says that a client cannot rely on it.
      for (const { status, json } of answers) {
        const { errors, data, ...more } = json()
        if (status === 200) expect(more).toEqual({})
        else if (type === graphqlType) expect([data, more, errors.length]).toEqual([undefined, {}, 1])
        else expect(errors[0]).toMatchObject({ message: more.message, extensions: { code: more.code } })
      }
    }
  })

  test.each<[string, unknown, number, string, string?]>([
    ['invalid JSON', '{', 400, 'invalid_request'],
    ['an empty body', '', 400, 'invalid_request'],
    ['a batch', [{ query }], 400, 'invalid_request'],
    ['a string', '"x"', 400, 'invalid_request'],
    ['null', 'null', 400, 'invalid_request'],
    ['no query', {}, 400, 'invalid_request'],
    ['a query that is not a string', { query: 1 }, 400, 'invalid_request'],
    ['variables that are a list', { query, variables: [] }, 400, 'invalid_request'],
    ['an operationName that is not a string', { query, operationName: 1 }, 400, 'invalid_request'],
    ['extensions that are a list', { query, extensions: [] }, 400, 'invalid_request'],
    ['a member __proto__', '{"query":"{ a }","__proto__":{"a":1}}', 400, 'invalid_request'],
    ['chains of another kind', { query, variables: { chains: '324' } }, 400, 'invalid_chains'],
    ['an empty query', { query: '' }, 400, 'query_rejected'],
    ['a mutation', { query: 'mutation { a }' }, 400, 'query_rejected'],
    ['a missing variable', { query: positionQuery }, 400, 'query_rejected'],
    ['more than 64 KiB', { query: 'x'.repeat(66_000) }, 413, 'payload_too_large'],
    ['another media type', '{}', 415, 'unsupported_media_type', 'application/graphql'],
    ['another encoding', '{}', 415, 'unsupported_media_type', 'application/json; charset=utf-16'],
    ['no query, in UTF-8', '{}', 400, 'invalid_request', 'application/json;charset="UTF-8"'],
  ])('error: %s', async (_, body, status, code, type = 'application/json') => {
    const answer = await post(body, { path, headers: { 'content-type': type } })
    expect([answer.status, answer.headers['content-type']]).toEqual([status, graphqlType])
    const requestId = answer.headers['x-request-id']
    expect(answer.json()).toEqual({
      errors: [{ message: expect.any(String), extensions: expect.objectContaining({ code, requestId }) }],
    })
  })

  test.each([
    ['no query', '', 400, 'invalid_request'],
    ['an unknown parameter', `query=${query}&chainid=324`, 400, 'invalid_parameter'],
    ['a repeated query', 'query=a&query=b', 400, 'invalid_request'],
    ['variables that are not JSON', `query=${query}&variables={`, 400, 'invalid_request'],
    [
      'variables that are too deep',
      `query=${query}&variables={"a":${'['.repeat(70)}${']'.repeat(70)}}`,
      400,
      'invalid_request',
    ],
    ['extensions that are not JSON', `query=${query}&extensions=x`, 400, 'invalid_request'],
    ['extensions that are a number', `query=${query}&extensions=1`, 400, 'invalid_request'],
    ['a mutation', 'query=mutation { a }', 405, 'method_not_allowed'],
    ['a subscription', 'query=subscription { a }', 400, 'query_rejected'],
  ])('error: GET with %s', async (_, search, status, code) => {
    const answer = await get(search)
    expect([answer.status, answer.json().errors[0].extensions.code]).toEqual([status, code])
    expect(answer.headers['allow']).toBe(status === 405 ? 'GET, HEAD, POST' : undefined)
  })

  test('error: another path or method', async () => {
    for (const chain of ['325', '1', '0324', '324.0', 'x', '%00', 'toString']) {
      const answer = await post({ query }, { path: `/data/${chain}` })
      expect([answer.status, answer.json().errors[0].extensions.code]).toEqual([404, 'not_found'])
      expect(answer.json().errors[0].message).toContain('Available: 324.')
    }
    for (const method of ['PUT', 'DELETE', 'OPTIONS']) {
      const answer = await service.call(path, { method, headers: { 'x-api-key': key } })
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD, POST'])
      expect(answer.json()).toEqual({
        errors: [expect.objectContaining({ message: '/data/324 accepts GET, HEAD, POST.' })],
      })
    }
  })

  test('behavior: without `listen.cors`, no page of another origin can use it', async () => {
    const origin = 'https://app.example'
    const answer = await get({ query }, { origin })
    expect([answer.status, answer.headers['vary']]).toEqual([200, undefined])
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    const headers = { origin, 'access-control-request-method': 'POST' }
    expect((await service.call(path, { method: 'OPTIONS', headers })).status).toBe(403)
  })

  test('error: the key is checked first', async () => {
    const { secret: notes } = await createKey(service, { scopes: ['notes'] })
    for (const [secret, code] of [
      ['nothing', 'invalid_api_key'],
      [notes, 'insufficient_scope'],
    ] as const) {
      const answers = [
        await post('{', { path, headers: { 'x-api-key': secret } }),
        await get('', { 'x-api-key': secret }),
        await service.call(path, { method: 'PUT', headers: { 'x-api-key': secret } }),
      ]
      for (const answer of answers) {
        expect([answer.status, answer.json().errors[0].extensions.code]).toEqual([403, code])
      }
    }
  })

  describe('persisted queries', () => {
    const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
    const persisted = (sha256Hash: unknown, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash } })

    test('default: the text of a known hash need not be sent', async () => {
      const text = '{ pools(first: 77) { id } }'
      const extensions = persisted(hashOf(text))
      const unknown = await post({ extensions }, { path })
      expect([unknown.status, unknown.json()]).toEqual([
        400,
        {
          errors: [
            {
              message: 'PersistedQueryNotFound',
              extensions: { code: 'PERSISTED_QUERY_NOT_FOUND', requestId: expect.any(String) },
            },
          ],
        },
      ])
      const legacy = await post({ extensions }, { path, headers: { accept: 'application/json' } })
      expect([legacy.status, legacy.json().errors[0].message]).toEqual([200, 'PersistedQueryNotFound'])
      expect((await post({ query: text, extensions }, { path })).body).toBe('{"data":{"pools":[]}}')
      expect((await post({ extensions, query: null }, { path })).body).toBe('{"data":{"pools":[]}}')
      expect((await get({ extensions: JSON.stringify(extensions) })).body).toBe('{"data":{"pools":[]}}')
    })

    test('error: a hash of another text, or none, is a 400 in both media types', async () => {
      const faults = [
        persisted(hashOf('{ other }')),
        persisted(hashOf(query).toUpperCase()),
        persisted('x'),
        persisted(1),
        persisted(hashOf(query), 2),
        { persistedQuery: 'x' },
      ]
      for (const extensions of faults) {
        for (const accept of ['application/json', '*/*']) {
          const answer = await post({ query, extensions }, { path, headers: { accept } })
          expect([answer.status, answer.json().errors[0].extensions.code]).toEqual([400, 'invalid_request'])
        }
      }
    })

    test('behavior: a rejected text is not remembered', async () => {
      const text = '{ pools(first: 1000) { positions(first: 1000) { id } } }'
      const extensions = persisted(hashOf(text))
      expect((await post({ query: text, extensions }, { path })).json().errors[0].message).toContain('rows')
      expect((await post({ extensions }, { path })).json().errors[0].message).toBe('PersistedQueryNotFound')
    })
  })
})

describe('hostile', () => {
  const words = [
    '{',
    '}',
    '(',
    ')',
    '[',
    ']',
    ':',
    '$',
    '!',
    '@',
    '...',
    '"',
    '"""',
    '#',
    '\n',
    ',',
    '|',
    '=',
    '&',
    '-1',
  ]
  const names = ['pools', 'positionInfos', 'first', 'where', 'id', 'query', 'fragment', 'on', 'Pool', '_meta', 'null']
  const token = fc.oneof(
    fc.constantFrom(...words),
    fc.constantFrom(...names),
    fc.string({ unit: codePoint, maxLength: 4 }),
  )
  const soup = fc.array(token, { maxLength: 120 }).map((parts) => parts.join(' '))
  const valid = fc.constantFrom(
    positionQuery,
    '{ pools(first: 5, where: { id_in: ["0x01"] }, block: { number: 0 }) { id } }',
    'query A($n: Int) { accounts(first: $n) { positions(orderBy: coupon) { id } } } query B { _meta { block { number } } }',
    'fragment F on Pool { id } query { pools { ...F ... on Pool { paused } } }',
    'query C($chains: [Int!]!, $n: Int) { pools(first: $n) { id } }',
  )
  const mutated = fc.tuple(valid, fc.nat(), fc.nat({ max: 20 }), token).map(([text, at, length, replacement]) => {
    const start = at % text.length
    return text.slice(0, start) + replacement + text.slice(start + length)
  })
  const body = fc.oneof(
    { weight: 4, arbitrary: fc.record({ query: fc.oneof(valid, mutated, soup), variables: fc.constant({ chains }) }) },
    {
      weight: 2,
      arbitrary: fc.record(
        {
          query: fc.oneof(mutated, fc.anything()),
          variables: fc.oneof(
            fc.record({
              chains: fc.oneof(fc.constant(chains), fc.anything()),
              walletAddress: fc.anything(),
              n: fc.anything(),
            }),
            fc.anything(),
          ),
          operationName: fc.oneof(fc.constantFrom('A', 'B'), fc.anything()),
        },
        { requiredKeys: [] },
      ),
    },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 300 }) },
  )

  test('behavior: any body is answered or rejected quickly, never with a 500', () => postBodies(200))

  test('behavior: 1,500 bodies are, too', { tags: 'slow' }, () => postBodies(1_500))

  async function postBodies(numRuns: number) {
    const statuses = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(body, async (given) => {
        const answer = await post(given)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        expect(answer.status).toBeOneOf([200, 400])
        if (answer.status === 200) expect(answer.json()).toEqual([{ chain: 324, data: expect.any(Object) }])
        else errorBodySchema.parse(answer.json())
      }),
      { numRuns },
    )
    // Checks that the generator still reaches both outcomes.
    expect([...statuses.keys()].sort()).toEqual([200, 400])
    expect(service.log()).not.toContain('internal error')
  }

  test('behavior: the same bodies, by POST and GET of one chain', async () => {
    const { secret } = await createKey(service, { scopes: ['data'] })
    const statuses = new Set<number>()
    const parameters = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 100 }),
      fc.record({ query: fc.oneof(valid, mutated), variables: fc.json(), extensions: fc.json() }, { requiredKeys: [] }),
    )
    const accept = fc.constantFrom('application/json', '*/*', 'application/graphql-response+json')
    await fc.assert(
      fc.asyncProperty(body, parameters, accept, async (given, search, accepted) => {
        const text = new URLSearchParams(search as never).toString()
        const answers = [
          await post(given, { path: '/data/324', headers: { accept: accepted } }),
          await service.call(`/data/324?${text}`, { headers: { accept: accepted, 'x-api-key': secret } }),
        ]
        for (const { status, json } of answers) {
          statuses.add(status)
          expect(status).toBeOneOf([200, 400, 405])
          const { data, errors } = json()
          if (data === undefined) expect(errors).toEqual([expect.objectContaining({ message: expect.any(String) })])
        }
      }),
      { numRuns: 250 },
    )
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400]))
    expect(service.log()).not.toContain('internal error')
  })

  test('behavior: the memory kept per query is bounded', async () => {
    const used = () => Number(/tallystick_data_cache_answers\{chain="324"\} (\d+)/.exec(metrics)?.[1])
    // Their texts have 7 MB: more than the cache of texts, and than the bound below.
    for (let index = 0; index < 120; index += 1) {
      await post({ query: `{ pools(first: ${index + 1}) { id } } # ${'x'.repeat(60_000)}`, variables: { chains } })
    }
    const metrics = (await service.admin('/metrics')).body
    expect(used()).toBeGreaterThan(100)
    expect(Number(/tallystick_data_cache_bytes\{chain="324"\} (\d+)/.exec(metrics)?.[1])).toBeLessThan(1_000_000)
  })
})
