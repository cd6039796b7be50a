import { positionQuery } from '@tallystick/core'
import { openDatabase } from '@tallystick/database'
import { openSubgraph, protocolSchema, schemaIdOf } from '@tallystick/subgraph'
import { startPostgres } from '@tallystick/workbench/postgres'
import { measureLoad, type Target } from '../load.ts'
import { fillPositions, ownerOf } from '../positions.ts'
import { countStatements, readProcessorSeconds, type StatementCounter } from '../process-costs.ts'
import { compare, formatResults, median, type Result, type Round } from '../result.ts'
import { benchLog, createBenchKey, createSite, pool, type Server, type Site, setBenchCurve } from '../service.ts'
import { measureClusterBoundary } from './cluster-boundary.ts'
import { measureClusterLimit } from './cluster-limit.ts'
import { startTimeRpc } from './strangers.ts'

const clusterSizes = [1, 2, 4, 8] as const
const rounds = 4
const roundSeconds = 2
const idleSeconds = 20
const settleMs = 5_000
// Of all replicas together, so that the generator does the same work for one as for eight.
const connections = 32
const positions = 20_000
const warmUpRequests = 6_000
const warmUpRoundsMax = 10
// The highest limit that the service accepts. Keys are limited, so that requests include the counting, and used in turn,
// so that none reaches its limit.
const keyCount = 3
const rpmMax = 1_000_000

/**
 * Measures 1, 2, 4 and 8 replicas on one PostgreSQL: the rate and the cost of a request against one of the same replicas,
 * statements, the boundary, and the limit of a key. All replicas share the cores of this machine, so the rate does not
 * grow with their number here, and the cost of a request grows when they wait for a core. The statements of a replica must
 * not grow, neither idle nor under load.
 */
export async function measureCluster(): Promise<Result[]> {
  const postgres = await startPostgres({ settings: { shared_preload_libraries: 'pg_stat_statements' } })
  for (const name of ['cluster', 'boundary']) await postgres.createDatabase(name)
  const results = await measureSizes(postgres.url('cluster'))
  results.push(...(await measureClusterBoundary(postgres.url('boundary'), clusterSizes)))
  await postgres.stop()
  return results
}

async function measureSizes(databaseUrl: string): Promise<Result[]> {
  await fillIndex(databaseUrl)
  const rpc = await startTimeRpc()
  const embedded = { positions: pool, startBlock: 0 }
  const chains = [{ id: 324, name: 'zkSync Era', pool, rpc: [rpc.url], subgraph: { embedded } }]
  const site = createSite({ database: databaseUrl, log: benchLog, chains })
  setBenchCurve(site)
  const secrets = Array.from({ length: keyCount }, () => createBenchKey(site, rpmMax))
  const counter = await countStatements(databaseUrl)
  const replicas: Server[] = []
  const results: Result[] = []
  let idleOfOne: number | undefined
  for (const size of clusterSizes) {
    while (replicas.length < size) replicas.push(await site.serve(site.configureReplica(`replica-${replicas.length}`)))
    const idle = await measureIdle(replicas, { counter, idleOfOne })
    idleOfOne ??= idle.perReplica
    const loaded = await measureEndpoints(replicas, { site, secrets, counter, idle: idle.perReplica })
    process.stderr.write(`${formatResults([...idle.results, ...loaded])}\n`)
    results.push(...idle.results, ...loaded)
  }
  results.push(await measureClusterLimit(site, replicas))
  for (const { child } of replicas) child.kill('SIGKILL')
  await counter.close()
  await rpc.stop()
  site.remove()
  return results
}

async function fillIndex(databaseUrl: string): Promise<void> {
  const database = await openDatabase(databaseUrl)
  // The namespace that the service uses.
  const namespace = `chain_324_${pool.slice(2, 10).toLowerCase()}_${schemaIdOf(protocolSchema)}`
  await fillPositions(await openSubgraph({ database, schema: protocolSchema, namespace }), positions)
  await database.close()
}

/** Measures what replicas cost without a request: statements, connections and processor time of each. */
async function measureIdle(
  replicas: readonly Server[],
  { counter, idleOfOne }: { readonly counter: StatementCounter; readonly idleOfOne: number | undefined },
): Promise<{ readonly perReplica: number; readonly results: readonly Result[] }> {
  const size = replicas.length
  await sleep(settleMs)
  const processorBefore = sumProcessor(replicas)
  const perReplica = (await counter.perSecond(() => sleep(idleSeconds * 1000))) / size
  const processorMs = ((sumProcessor(replicas) - processorBefore) * 1000) / idleSeconds / size
  const open = (await counter.connections()) / size
  const baseline = idleOfOne ?? perReplica
  const figure = (name: string, value: number, unit: string): Result => ({
    name: `cluster.idle.${name}.${size}`,
    value,
    unit,
    baseline: null,
    ratio: null,
  })
  return {
    perReplica,
    results: [
      {
        ...figure('statements', perReplica, 'statements/s per replica'),
        ...{ baseline, ratio: perReplica / baseline, target: { atMost: 1.5 } },
      },
      figure('connections', open, 'connections per replica'),
      figure('processor', processorMs, 'ms/s per replica'),
    ],
  }
}

type Loaded = { readonly rate: number; readonly microseconds: number; readonly statements: number }

/** Measures each endpoint on all replicas, in turns with one of them. */
async function measureEndpoints(
  replicas: readonly Server[],
  {
    site,
    secrets,
    counter,
    idle,
  }: {
    readonly site: Site
    readonly secrets: readonly string[]
    readonly counter: StatementCounter
    readonly idle: number
  },
): Promise<Result[]> {
  const results: Result[] = []
  const size = replicas.length
  for (const [name, requestOf] of Object.entries(requests)) {
    const loadOn = (loaded: readonly Server[], round: number) =>
      loadAll(loaded, { ca: site.ca, request: requestOf(secrets[round % keyCount] as string), counter })
    // The code of a replica is compiled during its first thousands of requests.
    let answered = 0
    for (let round = 0; round < warmUpRoundsMax && answered < warmUpRequests * size; round++) {
      answered += (await loadOn(replicas, round)).rate * roundSeconds
    }
    const rates: Round[] = []
    const costs: Round[] = []
    const statements: number[] = []
    for (let round = 0; round < rounds; round++) {
      const one = await loadOn(replicas.slice(0, 1), round)
      const all = await loadOn(replicas, round)
      rates.push({ value: all.rate, baseline: one.rate })
      costs.push({ value: all.microseconds, baseline: one.microseconds })
      statements.push(all.statements / size)
    }
    const perReplica = median(statements)
    results.push(
      compare({ name: `cluster.${name}.${size}`, unit: 'req/s' }, rates),
      compare({ name: `cluster.${name}.cost.${size}`, unit: 'µs/request' }, costs),
      {
        name: `cluster.${name}.statements.${size}`,
        value: perReplica,
        unit: 'statements/s per replica',
        baseline: idle,
        ratio: perReplica / idle,
        spread: [Math.min(...statements), Math.max(...statements)],
        // A replica that does not index a chain reads its head ten times per second while it is in use.
        target: { atMost: 2 },
      },
    )
  }
  return results
}

const headOf = (secret: string) => `HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${secret}\r\n`

const dataBody = JSON.stringify({
  query: positionQuery,
  variables: { walletAddress: ownerOf(1, positions), chains: [324] },
})
const dataHead = `content-type: application/json\r\ncontent-length: ${dataBody.length}\r\n`

/** Requests of the three endpoints that a replica answers from its memory, by key. */
const requests: Readonly<Record<string, (secret: string) => string>> = {
  notes: (secret) => `GET /notes ${headOf(secret)}\r\n`,
  data: (secret) => `POST /data ${headOf(secret)}${dataHead}\r\n${dataBody}`,
  rate: (secret) => `GET /rate ${headOf(secret)}\r\n`,
}

async function loadAll(
  replicas: readonly Server[],
  { ca, request, counter }: Pick<Target, 'ca'> & { readonly request: string; readonly counter: StatementCounter },
): Promise<Loaded> {
  const each = { ca, request, seconds: roundSeconds, connections: connections / replicas.length }
  const before = sumProcessor(replicas)
  let rate = 0
  const statements = await counter.perSecond(async () => {
    const measured = await Promise.all(replicas.map(({ port }) => measureLoad({ ...each, port })))
    rate = measured.reduce((sum, one) => sum + one.rate, 0)
  })
  const microseconds = ((sumProcessor(replicas) - before) * 1e6) / (rate * roundSeconds)
  return { rate, microseconds, statements }
}

function sumProcessor(replicas: readonly Server[]): number {
  return replicas.reduce((sum, { child }) => sum + readProcessorSeconds(child), 0)
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
