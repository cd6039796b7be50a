import { execFileSync } from 'node:child_process'
import { createTime } from '@tallystick/base'
import { positionQuery } from '@tallystick/core'
import { openDatabase } from '@tallystick/database'
import { createOperator, loadConfig } from '@tallystick/service'
import { type PostgresServer, startPostgres } from '@tallystick/workbench/postgres'
import { type Load, measureLoad } from '../load.ts'
import type { Result } from '../result.ts'
import { createBenchKey, createSite, pool, type Server, type Site, setBenchCurve } from '../service.ts'
import {
  createOwners,
  type Endpoint,
  loadOf,
  positionsOf,
  startEmbedded,
  startRemote,
  startRemoteServer,
} from './data.ts'

const factor = 100
const connections = 16
const seconds = 3

type Sample = { readonly rssMb: number; readonly msPerRequest: number }

/** Quantity that can grow, and the measurement of the service with a given amount of it. */
type Dimension = {
  readonly name: string
  readonly once: number
  readonly measure: (count: number, database: string) => Promise<Sample>
  /** Maximum ratios of memory and of time per request for 100 times the amount. */
  readonly atMost: { readonly rss: number; readonly time: number }
}

const dimensions: readonly Dimension[] = [
  { name: 'keys', once: 50, measure: measureKeys, atMost: { rss: 1.5, time: 1.5 } },
  { name: 'notes', once: 7, measure: measureManyNotes, atMost: { rss: 2, time: factor } },
  { name: 'positions', once: 2_000, measure: measurePositions, atMost: { rss: 1.5, time: 1.5 } },
  { name: 'queries', once: 100, measure: measureQueries, atMost: { rss: 2, time: 1.5 } },
]

/** Measures the memory under load with a remote subgraph, and the effect of 100 times the amount of each quantity. */
export async function measureGrowth(): Promise<Result[]> {
  const postgres = await startPostgres()
  const results: Result[] = []
  for (const { name, once, measure, atMost } of dimensions) {
    const small = await measure(once, await newDatabase(postgres))
    const large = await measure(once * factor, await newDatabase(postgres))
    if (name === 'queries') {
      results.push({ name: 'memory.rss', value: small.rssMb, unit: 'MB', baseline: null, ratio: null })
    }
    const figure = (what: string, unit: string, read: (sample: Sample) => number) => {
      const [value, baseline] = [read(large), read(small)]
      return { name: `growth.${name}.${what}`, value, unit, baseline, ratio: value / baseline }
    }
    results.push({ ...figure('rss', 'MB', ({ rssMb }) => rssMb), target: { atMost: atMost.rss } })
    results.push({ ...figure('time', 'ms', ({ msPerRequest }) => msPerRequest), target: { atMost: atMost.time } })
  }
  await postgres.stop()
  return results
}

let databases = 0

async function newDatabase(postgres: PostgresServer): Promise<string> {
  const name = `growth_${databases++}`
  await postgres.createDatabase(name)
  return postgres.url(name)
}

/** Measures `GET /notes` with all keys in turn. */
async function measureKeys(count: number, url: string): Promise<Sample> {
  const site = createSite({ database: url })
  setBenchCurve(site)
  const secrets = await createKeys(site, { count, url })
  return measureServer(site, ({ port }) => {
    const request = (index: number) =>
      `GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${secrets[index % count]}\r\n\r\n`
    return { port, ca: site.ca, request, seconds, connections }
  })
}

/** Measures `GET /notes` with seven notes per chain. */
async function measureManyNotes(count: number, url: string): Promise<Sample> {
  const chains = Array.from({ length: count / 7 }, (_, index) => ({ id: index + 1, name: `Chain ${index + 1}`, pool }))
  const site = createSite({ database: url, chains })
  setBenchCurve(site)
  const request = `GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${createBenchKey(site)}\r\n\r\n`
  return measureServer(site, ({ port }) => ({ port, ca: site.ca, request, seconds, connections }))
}

/** Measures the position query directly on the subgraph, which does not cache results. */
async function measurePositions(count: number, url: string): Promise<Sample> {
  const endpoint = { ...(await startEmbedded(url, { positions: count })), path: '/subgraphs/324', key: undefined }
  const owner = createOwners(count)
  return measureRunning(endpoint, { load: { ...loadOf(endpoint, () => positionsOf(owner(), endpoint)), seconds } })
}

/** Measures `POST /data` with a remote subgraph and distinct query texts. */
async function measureQueries(count: number, url: string): Promise<Sample> {
  const upstreamSite = createSite({})
  const upstream = await startRemoteServer(upstreamSite, JSON.stringify({ positionInfos: [] }))
  const endpoint = await startRemote({
    url,
    upstream: { port: upstream.port, path: '/' },
    caPath: upstreamSite.caPath,
  })
  const queries = createQueries(endpoint, count)
  const sample = await measureRunning(endpoint, {
    load: { ...loadOf(endpoint, queries.next), seconds },
    isWarm: queries.areAllSent,
  })
  upstream.child.kill('SIGKILL')
  upstreamSite.remove()
  return sample
}

function createQueries(endpoint: Endpoint, count: number) {
  let sent = 0
  const owner = createOwners()
  return {
    next: () => {
      const query = positionQuery.replace(/^query \w+/, `query Query${sent++ % count}`)
      return { ...positionsOf(owner(), endpoint), query }
    },
    areAllSent: () => sent >= count,
  }
}

async function createKeys(
  site: Site,
  { count, url }: { readonly count: number; readonly url: string },
): Promise<readonly string[]> {
  const database = await openDatabase(url)
  const config = loadConfig(site.configPath, { env: site.env, secrets: 'required' })
  const operator = createOperator({ database, config, clock: createTime(), refreshKeys: async () => {} })
  const secrets: string[] = []
  for (let made = 0; made < count; made++) {
    const { secret } = await operator.createKey({ name: `key ${made}`, rpm: 1_000_000 })
    secrets.push(secret)
  }
  await database.close()
  return secrets
}

async function measureServer(site: Site, createLoad: (server: Server) => Load): Promise<Sample> {
  const server = await site.serve()
  return measureRunning({ site, server }, { load: createLoad(server) })
}

async function measureRunning(
  { site, server }: { readonly site: Site; readonly server: Server },
  { load, isWarm = () => true }: { readonly load: Load; readonly isWarm?: () => boolean },
): Promise<Sample> {
  do await measureLoad(load)
  while (!isWarm())
  const { rate } = await measureLoad(load)
  const rssMb = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(server.child.pid)])) / 1024
  server.child.kill('SIGKILL')
  site.remove()
  return { rssMb, msPerRequest: 1000 / rate }
}
