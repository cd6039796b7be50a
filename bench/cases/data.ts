import { writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { positionQuery } from '@tallystick/core'
import { openDatabase } from '@tallystick/database'
import { openSubgraph, protocolSchema, schemaIdOf } from '@tallystick/subgraph'
import { startPostgres } from '@tallystick/workbench/postgres'
import { type Load, measureLoad } from '../load.ts'
import { fillPositions, ownerOf } from '../positions.ts'
import { compare, type Result } from '../result.ts'
import { createBenchKey, createSite, pool, type Server, type Site, setBenchCurve } from '../service.ts'

// Many short rounds, so that other load on the machine affects both sides equally.
const rounds = 14
const roundSeconds = 1
const connections = 16
const warmUpRequests = 12_000
// Typical response time of a subgraph in the same region.
const remoteDelayMs = 10
const remoteServerPath = fileURLToPath(new URL('../servers/remote-server.js', import.meta.url))
const bareProxyPath = fileURLToPath(new URL('../servers/bare-proxy-server.js', import.meta.url))
const chain = { id: 324, name: 'zkSync Era', pool }

export type Endpoint = {
  readonly port: number
  readonly ca: string
  readonly path: string
  readonly key: string | undefined
}

/**
 * Measures `POST /data` against the same query sent directly to the upstream: the embedded subgraph, an upstream on another
 * machine, and one that shares the cores with the gateway. Uncached means that every request has a new owner.
 * `data.remote.limit` is against a bare proxy before the same upstream.
 */
export async function measureData(): Promise<Result[]> {
  const postgres = await startPostgres()
  for (const name of ['embedded', 'remote', 'local']) await postgres.createDatabase(name)
  const embedded = await startEmbedded(postgres.url('embedded'))
  const straight = { port: embedded.server.port, ca: embedded.site.ca, path: '/subgraphs/324', key: undefined }
  const data = await fetchData(straight)
  const upstream = await startRemoteServer(embedded.site, data)
  const far = { ...straight, port: upstream.port }
  const remote = await startRemote({ url: postgres.url('remote'), upstream: far, caPath: embedded.site.caPath })
  const proxy = await startBareProxy(embedded.site, far)
  const limit = { ...remote, port: proxy.port, ca: embedded.site.ca }
  const local = await startRemote({ url: postgres.url('local'), upstream: straight, caPath: embedded.site.caPath })

  const one = () => ownerOf(1)
  const atLeast = (ratio: number) => ({ target: { atLeast: ratio } })
  const results = [
    await measurePair({ name: 'data.cached', ...atLeast(3) }, { value: embedded, baseline: straight, owner: one }),
    await measureShare({ name: 'data.cached.share', ...atLeast(0.7) }, embedded),
    await measurePair(
      { name: 'data.uncached', ...atLeast(0.85) },
      { value: embedded, baseline: straight, owner: createOwners() },
    ),
    await measurePair(
      { name: 'data.remote', ...atLeast(0.85) },
      { value: remote, baseline: far, owner: createOwners() },
    ),
    await measurePair({ name: 'data.remote.limit' }, { value: remote, baseline: limit, owner: createOwners() }),
    await measurePair({ name: 'data.remote.cached' }, { value: remote, baseline: far, owner: one }),
    await measurePair({ name: 'data.remote.local' }, { value: local, baseline: straight, owner: createOwners() }),
  ]
  for (const { child } of [local.server, proxy, remote.server, upstream, embedded.server]) child.kill('SIGKILL')
  for (const { site } of [local, remote, embedded]) site.remove()
  await postgres.stop()
  return results
}

export type Running = Endpoint & { readonly site: Site; readonly server: Server }

/** Starts a service with a filled embedded subgraph whose chain has no new blocks. */
export async function startEmbedded(
  url: string,
  { positions, settings = {} }: { readonly positions?: number | undefined; readonly settings?: object } = {},
): Promise<Running> {
  const database = await openDatabase(url)
  // The namespace that the service uses.
  const namespace = `chain_324_${pool.slice(2, 10).toLowerCase()}_${schemaIdOf(protocolSchema)}`
  await fillPositions(await openSubgraph({ database, schema: protocolSchema, namespace }), positions)
  await database.close()
  const site = createSite({
    database: url,
    // No process listens there, so the index does not change.
    chains: [{ ...chain, rpc: ['http://127.0.0.1:1'], subgraph: { embedded: { positions: pool } } }],
    ...settings,
  })
  setBenchCurve(site)
  return serveData(site)
}

/** Starts a service with a remote subgraph. */
export async function startRemote({
  url,
  upstream,
  caPath,
}: {
  readonly url: string
  readonly upstream: { readonly port: number; readonly path: string }
  readonly caPath: string
}): Promise<Running> {
  const urls = [`https://localhost:${upstream.port}${upstream.path}`]
  const settings = { database: url, chains: [{ ...chain, subgraph: { urls } }] }
  return serveData(createSite(settings, { NODE_EXTRA_CA_CERTS: caPath }))
}

/** Starts a server that returns the data for every query after a delay, like one on another machine. */
export async function startRemoteServer(site: Site, data: string): Promise<Server> {
  const path = join(site.directory, 'data.json')
  writeFileSync(path, data)
  const { directory } = site
  const commandLine = [remoteServerPath, join(directory, 'cert.pem'), join(directory, 'key.pem'), path]
  return site.start([...commandLine, String(remoteDelayMs)])
}

/** Starts a server that only passes requests to the upstream and its responses back: what Node permits a gateway. */
async function startBareProxy(site: Site, { port, path }: Endpoint): Promise<Server> {
  const files = ['cert.pem', 'key.pem', 'ca.pem'].map((name) => join(site.directory, name))
  return site.start([bareProxyPath, ...files, `https://localhost:${port}`, path])
}

export function loadOf({ port, ca, path, key }: Endpoint, body: () => object): Load {
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`
  const keyLine = key ? `x-api-key: ${key}\r\n` : ''
  const request = () => {
    const text = JSON.stringify(body())
    return `${head}${keyLine}content-length: ${text.length}\r\n\r\n${text}`
  }
  return { port, ca, request, seconds: roundSeconds, connections }
}

/** Returns a function that returns a new owner on each call, over all measurements. */
export function createOwners(positions?: number): () => string {
  let next = 0
  return () => ownerOf(next++, positions)
}

export function positionsOf(owner: string, { key }: Endpoint): object {
  return { query: positionQuery, variables: { walletAddress: owner, ...(key ? { chains: [324] } : {}) } }
}

async function serveData(site: Site): Promise<Running> {
  // Before the start: an embedded database can be open in one process only.
  const key = createBenchKey(site)
  const server = await site.serve()
  return { site, server, port: server.port, ca: site.ca, path: '/data', key }
}

async function measurePair(
  figure: Pick<Result, 'name' | 'target'>,
  { value, baseline, owner }: { readonly value: Endpoint; readonly baseline: Endpoint; readonly owner: () => string },
): Promise<Result> {
  const measure = async (endpoint: Endpoint) => {
    const { rate } = await measureLoad(loadOf(endpoint, () => positionsOf(owner(), endpoint)))
    return rate
  }
  return measureInTurns(figure, { value: () => measure(value), baseline: () => measure(baseline) })
}

/**
 * Measures a cached `POST /data` against `GET /notes` of the same service. Both requests are prepared in advance, so that
 * the generator does the same work for both.
 */
async function measureShare(figure: Pick<Result, 'name' | 'target'>, endpoint: Endpoint): Promise<Result> {
  const { request, ...load } = loadOf(endpoint, () => positionsOf(ownerOf(1), endpoint))
  const data = typeof request === 'string' ? request : request(0)
  const notes = `GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${endpoint.key}\r\n\r\n`
  const measure = async (text: string) => (await measureLoad({ ...load, request: text })).rate
  return measureInTurns(figure, { value: () => measure(data), baseline: () => measure(notes) })
}

async function measureInTurns(
  figure: Pick<Result, 'name' | 'target'>,
  { value, baseline }: { readonly value: () => Promise<number>; readonly baseline: () => Promise<number> },
): Promise<Result> {
  for (const measure of [baseline, value]) await warmUp({ measure, roundSeconds })
  const measured = []
  let before = await baseline()
  for (let round = 0; round < rounds; round++) {
    const measuredValue = await value()
    const after = await baseline()
    measured.push({ baseline: (before + after) / 2, value: measuredValue })
    before = after
  }
  return compare({ unit: 'req/s', ...figure }, measured)
}

/**
 * Sends requests until the code is compiled. The gateway becomes faster during the first ten thousand requests, which a
 * service in production handles in its first minutes.
 */
export async function warmUp(load: {
  readonly measure: () => Promise<number>
  readonly roundSeconds: number
}): Promise<void> {
  for (let answered = 0; answered < warmUpRequests; ) answered += (await load.measure()) * load.roundSeconds
}

/** Fetches the result of the upstream for one owner. */
async function fetchData(endpoint: Endpoint): Promise<string> {
  const body = JSON.stringify(positionsOf(ownerOf(1), endpoint))
  const text = await new Promise<string>((resolve, reject) => {
    const { port, ca, path } = endpoint
    const options = { method: 'POST', ca, port, path, headers: { 'content-type': 'application/json' } }
    httpsRequest('https://localhost', options, async (response) => {
      resolve(Buffer.concat(await response.toArray()).toString())
    })
      .on('error', reject)
      .end(body)
  })
  return JSON.stringify(JSON.parse(text).data)
}
