// @module-tag slow

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openDatabase } from '@tallystick/database'
import { openSubgraph, protocolSchema } from '@tallystick/subgraph'
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { Agent, fetch as fetchTrusting } from 'undici'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createDeferrals, createKey, newDatabase, pool, start, type TestService } from './harness.ts'
import {
  type ClientError,
  type Clients,
  type HttpLinkOptions,
  loadClients,
  type UrqlOptions,
} from './load-graphql-clients.ts'
import { buildSubgraphApp } from './subgraph-app.ts'

const { defer, finish } = createDeferrals()
let clients: Clients
let service: TestService
let url: string
let headers: Record<string, string>
/** Exchanges of the clients since the beginning of the test. */
let exchanges: { readonly method: string; readonly sent: string; readonly status: number; readonly type: string }[] = []

const days = Array.from({ length: 25 }, (_, index) => 20_700 + index)
const daysText = `
  query Days($after: Int!, $first: Int = 10) {
    floatingIncomes(first: $first, orderBy: day, where: { day_gt: $after }) { ...Day }
  }
  fragment Day on FloatingIncome { day floatingIncome }`
const firstDay = { day: 20_700, floatingIncome: '1000000' }

beforeAll(async () => {
  clients = await loadClients()
  // A real subgraph behind HTTP, which the service queries as a remote one.
  const database = await openDatabase(await newDatabase('postgres', defer))
  defer(() => database.close())
  const subgraph = await openSubgraph({ database, schema: protocolSchema, namespace: 'upstream' })
  const block = {
    number: 7,
    hash: `0x${'07'.repeat(32)}`,
    parentHash: `0x${'06'.repeat(32)}`,
    timestamp: 1_800_000_000,
  }
  const set = { floatingIncome: '1000000', accFloatingIncome: '5000000', updatedAt: '1800000000' }
  await subgraph.commit(
    block,
    days.map((day) => ({ entity: 'FloatingIncome', id: String(day), set: { day, ...set } })),
  )
  const upstream = buildSubgraphApp(subgraph, { schema: protocolSchema })
  defer(() => upstream.close())
  const urls = [`${await upstream.listen({ host: '127.0.0.1', port: 0 })}/subgraphs/324`]
  const chains = [{ id: 324, name: 'chain', pool, subgraph: { urls } }]
  service = await start({ databaseUrl: await newDatabase('postgres', defer), config: { chains } }, defer)
  url = `${service.baseUrl}/data/324`
  headers = { 'x-api-key': (await createKey(service, { scopes: ['data'] })).secret }
  trustService()
  return finish
})
beforeEach(() => {
  exchanges = []
})

/** Makes the `fetch` of this process trust the service, as NODE_EXTRA_CA_CERTS would. The clients need no option for it. */
function trustService(): void {
  const dispatcher = new Agent({ connect: { ca: service.ca } })
  defer(() => dispatcher.close())
  const trusting: typeof fetch = async (input, { method = 'GET', ...init } = {}) => {
    const response = await fetchTrusting(input as string, { ...init, method, dispatcher } as never)
    const sent = method === 'GET' ? decodeURIComponent(new URL(String(input)).search) : String(init.body)
    const type = response.headers.get('content-type') ?? ''
    exchanges.push({ method, sent, status: response.status, type })
    return response as never
  }
  vi.stubGlobal('fetch', trusting)
  defer(() => vi.unstubAllGlobals())
}

const responseType = 'application/graphql-response+json; charset=utf-8'
const summary = () => exchanges.map(({ method, status, type }) => [method, status, type])

describe('Apollo Client', () => {
  const createLink = (options: Partial<HttpLinkOptions> = {}) => new clients.HttpLink({ uri: url, headers, ...options })
  const createApollo = (options: Partial<HttpLinkOptions> = {}, wrap = (link: object) => link) =>
    new clients.ApolloClient({ link: wrap(createLink(options)), cache: new clients.InMemoryCache() })

  test('default: variables, fragments and __typename, cached by Apollo', async () => {
    const client = createApollo()
    for (let round = 0; round < 2; round += 1) {
      const { data } = await client.query({ query: clients.gql(daysText), variables: { after: 0, first: 1 } })
      expect(data).toEqual({ floatingIncomes: [{ ...firstDay, __typename: 'FloatingIncome' }] })
    }
    expect(summary()).toEqual([['POST', 200, responseType]])
  })

  test('behavior: pages by cursor', async () => {
    const client = createApollo()
    const found: number[] = []
    for (let page = 0; page < 4; page += 1) {
      const { data } = await client.query<{ floatingIncomes: { day: number }[] }>({
        query: clients.gql(daysText),
        variables: { after: found.at(-1) ?? 0 },
      })
      found.push(...(data?.floatingIncomes ?? []).map(({ day }) => day))
    }
    expect(found).toEqual(days)
  })

  test('behavior: useGETForQueries', async () => {
    const query = clients.gql(daysText)
    const { data } = await createApollo({ useGETForQueries: true }).query({ query, variables: { after: 0, first: 1 } })
    expect(data).toMatchObject({ floatingIncomes: [firstDay] })
    expect(summary()).toEqual([['GET', 200, responseType]])
  })

  test('error: a rejected query, a wrong key and a used-up key show their messages and codes', async () => {
    const { secret } = await createKey(service, { rpm: 1 })
    const failures = [
      [createApollo(), '{ nothing }', 'query_rejected', /Cannot query field "nothing"/],
      [createApollo({ useGETForQueries: true }), '{ nothing }', 'query_rejected', /Cannot query field "nothing"/],
      [createApollo({ headers: {} }), '{ pools { id } }', 'invalid_api_key', /x-api-key header/],
      [createApollo({ headers: { 'x-api-key': secret } }), '{ nothing }', 'query_rejected', /nothing/],
      [createApollo({ headers: { 'x-api-key': secret } }), '{ pools { id } }', 'rate_limited', /1 requests a minute/],
    ] as const
    for (const [client, text, code, message] of failures) {
      const error = await client.query({ query: clients.gql(text) }).catch((caught) => caught)
      expect(error.message).toMatch(message)
      if (!clients.CombinedGraphQLErrors.is(error)) throw error
      expect(error.errors[0]?.extensions).toMatchObject({ code, requestId: expect.any(String) })
    }
    expect(exchanges.map(({ status }) => status)).toEqual([400, 400, 403, 400, 429])
  })

  test.each([false, true])('behavior: persisted queries, useGETForHashedQueries %s', async (useGETForHashedQueries) => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
    const options = { sha256, useGETForHashedQueries }
    const client = createApollo({}, (link) => new clients.PersistedQueryLink(options).concat(link))
    // A text that the service has not seen.
    const asked = clients.gql(daysText.replace('Days', `Days${Number(useGETForHashedQueries)}`))
    for (let round = 0; round < 2; round += 1) {
      const { data } = await client.query({ query: asked, variables: { after: 0, first: 1 }, fetchPolicy: 'no-cache' })
      expect(data).toMatchObject({ floatingIncomes: [firstDay] })
    }
    const hashed = useGETForHashedQueries ? 'GET' : 'POST'
    expect(exchanges.map(({ method, status, sent }) => [method, status, sent.includes('fragment')])).toEqual([
      [hashed, 400, false],
      ['POST', 200, true],
      [hashed, 200, false],
    ])
  })
})

describe('urql', () => {
  const createUrql = (options: UrqlOptions = {}) =>
    new clients.Client({ url, exchanges: [clients.fetchExchange], fetchOptions: { headers }, ...options })

  test.each([
    ['POST', false],
    ['GET', 'force'],
    ['GET', 'within-url-limit'],
  ] as const)('default: by %s, preferGetMethod %s', async (method, preferGetMethod) => {
    const result = await createUrql({ preferGetMethod }).query(daysText, { after: 0, first: 1 }).toPromise()
    expect([result.error, result.data]).toEqual([undefined, { floatingIncomes: [firstDay] }])
    expect(summary()).toEqual([[method, 200, responseType]])
  })

  test('error: a rejected query and a wrong key show their messages and codes', async () => {
    const rejected = await createUrql().query('{ nothing }', {}).toPromise()
    expect(rejected.error?.message).toContain('Cannot query field "nothing"')
    expect(rejected.error?.graphQLErrors[0]?.extensions).toMatchObject({ code: 'query_rejected' })
    const refused = await createUrql({ fetchOptions: {} }).query('{ pools { id } }', {}).toPromise()
    expect(refused.error?.message).toContain('x-api-key header')
    expect(refused.error?.graphQLErrors[0]?.extensions).toMatchObject({ code: 'invalid_api_key' })
  })

  test('behavior: persistedExchange sends the text once', async () => {
    const client = createUrql({ exchanges: [clients.persistedExchange(), clients.fetchExchange] })
    for (let round = 0; round < 2; round += 1) {
      const asked = daysText.replace('Days', 'UrqlDays')
      const result = await client.query(asked, { after: 0, first: 1 }, { requestPolicy: 'network-only' }).toPromise()
      expect([result.error, result.data]).toEqual([undefined, { floatingIncomes: [firstDay] }])
    }
    expect(exchanges.map(({ status, sent }) => [status, sent.includes('fragment')])).toEqual([
      [400, false],
      [200, true],
      [200, false],
    ])
  })
})

describe('graphql-request', () => {
  test.each(['POST', 'GET'] as const)('default: by %s', async (method) => {
    const client = new clients.GraphQLClient(url, { headers, method })
    expect(await client.request(daysText, { after: 0, first: 1 })).toEqual({ floatingIncomes: [firstDay] })
    expect(summary()).toEqual([[method, 200, responseType]])
  })

  test('error: a rejected query, a batch and a wrong key', async () => {
    const client = new clients.GraphQLClient(url, { headers })
    const failureOf = (promise: Promise<unknown>): Promise<ClientError> =>
      promise.then(
        () => undefined,
        (error) => error,
      )
    const rejected = await failureOf(client.request('{ nothing }'))
    expect(rejected.response.errors?.[0]).toMatchObject({ extensions: { code: 'query_rejected' } })
    const batch = await failureOf(client.batchRequests([{ document: '{ pools { id } }' }]))
    expect(batch.message).toContain('Batches are not supported')
    const refused = await failureOf(new clients.GraphQLClient(url).request('{ pools { id } }'))
    expect(refused.message).toContain('x-api-key header')
    expect(exchanges.map(({ status }) => status)).toEqual([400, 400, 403])
  })
})

test('default: the client preset generates types from the endpoint, and its documents run', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-codegen-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const { buildClientSchema, parse, printSchema } = clients.graphql
  // As the generator's loader of URLs does it.
  const client = new clients.GraphQLClient(url, { headers })
  const schema = buildClientSchema((await client.request(getIntrospectionQuery())) as IntrospectionQuery)
  const sections = await clients.preset.buildGeneratesSection({
    baseOutputDir: `${directory}/`,
    schema: parse(printSchema(schema)),
    schemaAst: schema,
    documents: [{ location: 'days.ts', rawSDL: daysText, document: parse(daysText) }],
    config: {},
    plugins: [],
    pluginMap: {},
    presetConfig: { fragmentMasking: false },
  })
  for (const section of sections) await writeFile(section.filename, await clients.codegen(section))
  const { graphql } = await import(join(directory, 'gql.ts'))
  expect(await client.request(graphql(daysText), { after: 0, first: 1 })).toEqual({ floatingIncomes: [firstDay] })

  // TypeScript checks the variables and the result.
  const modules = clients.modules.map((path) => join(path, '*'))
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: 'es2022', module: 'esnext', moduleResolution: 'bundler', types: [] },
    ...{ skipLibCheck: true, paths: { '*': modules } },
  }
  const consumer = `
    import type { ResultOf, VariablesOf } from '@graphql-typed-document-node/core'
    import { graphql } from './gql'
    const query = graphql(${JSON.stringify(daysText)})
    export const variables: VariablesOf<typeof query> = { after: 1, first: 2 }
    export const day = (data: ResultOf<typeof query>): number => data.floatingIncomes[0]!.day
    // @ts-expect-error: required
    export const without: VariablesOf<typeof query> = { first: 2 }
    // @ts-expect-error: not selected
    export const other = (data: ResultOf<typeof query>) => data.floatingIncomes[0]!.updatedAt`
  await writeFile(join(directory, 'consumer.ts'), consumer)
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
  // The compiler of this workspace, which takes a tenth of the time.
  const compiler = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))
  const compiled = await promisify(execFile)(process.execPath, [compiler, '-p', directory]).catch((error) => error)
  expect(compiled.stdout).toBe('')
})
