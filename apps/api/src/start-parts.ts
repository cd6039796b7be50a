import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import {
  type ChainIdentity,
  createChainIdentity,
  createChainTimeReader,
  createPoolReader,
  type PoolReader,
} from '@tallystick/chain'
import { type ChainsParts, openChains } from './chains/open-chains.ts'
import type { Config } from './config.ts'
import { createAskIndex } from './data/ask-index.ts'
import type { EmbeddedSubgraph } from './data/embedded-subgraphs.ts'
import { startEmbeddedSubgraphs } from './data/embedded-subgraphs.ts'
import { createFindMaturePositions } from './data/find-mature-positions.ts'
import { type OpenData, openData } from './data/open-data.ts'
import { openPublicQueries, type PublicQueries } from './data/open-public-queries.ts'
import { createReadIndexedPool } from './data/read-indexed-pool.ts'
import { addSubgraphMetrics } from './data/subgraph-metrics.ts'
import type { EventStreams } from './events/open-streams.ts'
import { startEvents } from './events/start-events.ts'
import { type HistoryParts, openHistory } from './history/open-history.ts'
import { type OpenHooks, openHooks } from './hooks/open-hooks.ts'
import { addHostMetrics } from './host-metrics.ts'
import { type KeyRing, openKeyRing } from './keys/key-ring.ts'
import { type KeyUsageRecorder, startKeyUsageRecorder } from './keys/key-usage-recorder.ts'
import { createSharedLimits } from './keys/limits/create-shared-limits.ts'
import { createLeases, type RunningLeases } from './keys/limits/start-leases.ts'
import { type Announcement, announceReplica } from './keys/replicas.ts'
import { type RunningLog, startPublicLog } from './log/start-public-log.ts'
import { type RunningNotes, startNotes } from './notes/start-notes.ts'
import { openRate } from './rate/open-rate.ts'
import type { RateParts } from './rate/read-rates.ts'
import { createIndexJobs, type IndexJobs } from './reindex/index-jobs.ts'
import type { ServiceContext } from './service-context.ts'
import { type ClockMonitor, startClockMonitor } from './time/clock-monitor.ts'

/** Running parts that the listeners serve from. */
export type ServiceParts = {
  readonly keyRing: KeyRing
  readonly replica: Announcement
  readonly keyUsage: KeyUsageRecorder
  readonly time: ClockMonitor
  /** Undefined if no public log is configured. */
  readonly runningLog: RunningLog | undefined
  readonly notes: RunningNotes
  readonly embedded: ReadonlyMap<number, EmbeddedSubgraph>
  readonly indexJobs: IndexJobs
  readonly data: OpenData
  readonly queries: PublicQueries
  readonly rate: RateParts
  readonly history: HistoryParts
  readonly chains: ChainsParts
  readonly hooks: OpenHooks
  readonly streams: EventStreams
}

/** Starts everything but the listeners: keys, clocks, notes, subgraphs. */
export async function startParts(context: ServiceContext): Promise<ServiceParts> {
  const { config, metrics, closers } = context
  const { leases, ...keys } = await startKeys(context)
  // One per chain: an endpoint that serves another chain is used by nobody in the process.
  const identities = new Map(config.chains.map(({ id }) => [id, createChainIdentity(id)]))
  const pools = openPools(config, identities)
  closers.push('pool readers', () => {
    for (const pool of pools.values()) pool.close()
  })
  // Before anything is signed or served.
  const tick = { tickMs: context.schedulerTime?.tickMs }
  const readChainTime = createChainTimeReader(config.chains, identities)
  const time = await startClockMonitor({ ...context, ...tick, chains: config.chains, readChainTime })
  closers.push('clock monitor', time.stop)
  const embedded = await startEmbeddedSubgraphs(config, { ...context, identities })
  addSubgraphMetrics(metrics, embedded)
  // The head that this process knows is otherwise that of the old index until the next block.
  const onReplaced = async (chainId: number) => embedded.get(chainId)?.subgraph.readHead()
  const indexJobs = createIndexJobs({ ...context, runsIn: 'service', onReplaced })
  closers.push('index jobs', indexJobs.stop)
  const data = openData(config, { ...context, embedded })
  closers.push('remote subgraphs', data.close)
  const queries = openPublicQueries(config, { ...context, embedded })
  const index = { ask: createAskIndex(data), chainIds: data.chainIds }
  const readIndexedPool = createReadIndexedPool(config.chains, index)
  const runningLog = await startPublicLog(context, { time })
  const findMature = createFindMaturePositions(index)
  const notes = await startNotes({ ...context, pools, readIndexedPool, findMature, readChainTime, time, runningLog })
  const { published, poolWatch, signers } = notes
  const rate = openRate(config, { ...context, published, poolWatch, embedded, index, readIndexedPool, pools })
  const history = openHistory({ ...context, time, index })
  const chains = openChains(config, { ...context, signers, poolWatch, pools })
  const hooks = await openHooks(config, context)
  closers.push('webhooks', hooks.stop)
  const streams = await startEvents({ ...context, ...keys, published, rate })
  await leases.ready()
  return { ...keys, time, runningLog, notes, embedded, indexJobs, data, queries, rate, history, chains, streams, hooks }
}

async function startKeys(
  context: ServiceContext,
): Promise<Pick<ServiceParts, 'keyRing' | 'replica' | 'keyUsage'> & { readonly leases: RunningLeases }> {
  const { config, clock, database, log, metrics, closers, say, writers = {} } = context
  const id = randomUUID()
  const leases = createLeases({ database, id, log, time: context.limitTime })
  const createLimit = createSharedLimits(leases.keeper, { engine: database.engine })
  const keyRing = await openKeyRing({ database, log, createLimit })
  closers.push('keys', () => keyRing.close())
  closers.push('metrics', addHostMetrics(metrics, { keyRing, clock, writers }))
  const keyUsage = startKeyUsageRecorder({ database, keyRing, clock, log })
  closers.push('key usage', () => keyUsage.stop())
  const name = `${hostname()}:${config.listen.port}`
  const replica = await announceReplica(database, { id, name, keyRing, log, onRestored: leases.keeper.restart })
  closers.push('replica', () => replica.stop())
  await leases.start()
  closers.push('limits of keys', () => leases.stop())
  say(`${keyRing.size} API key${keyRing.size === 1 ? '' : 's'} in force`)
  return { keyRing, replica, keyUsage, leases }
}

/** Creates readers of the pools that have an RPC. */
function openPools(
  { chains }: Config,
  identities: ReadonlyMap<number, ChainIdentity>,
): ReadonlyMap<number, PoolReader> {
  const reachable = chains.filter(({ rpc }) => rpc.length > 0)
  return new Map(
    reachable.map(({ id, rpc, domain, subgraph }) => [
      id,
      createPoolReader({
        chainId: id,
        rpcUrls: rpc,
        identity: identities.get(id),
        pool: domain.verifyingContract,
        startBlock: subgraph?.embedded?.startBlock,
      }),
    ]),
  )
}
