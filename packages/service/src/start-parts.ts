import {
  type ChainIdentity,
  createChainIdentity,
  createChainTimeReader,
  createPoolReader,
  type PoolReader,
  type ReadChainTime,
} from '@tallystick/chain'
import {
  addSubgraphMetrics,
  createAskIndex,
  createFindMaturePositions,
  createReadIndexedPool,
  type EmbeddedSubgraph,
  type OpenData,
  openData,
  openPublicQueries,
  type PublicQueries,
  startEmbeddedSubgraphs,
} from '@tallystick/gateway'
import {
  type ClockMonitor,
  type NotesOptions,
  type RunningNotes,
  startClockMonitor,
  startNotes,
} from '@tallystick/issuer'
import { type EventStreams, type OpenHooks, openHooks } from '@tallystick/notify'
import { type RunningLog, startPublicLog } from '@tallystick/public-log'
import { type ChainsParts, openChains } from './chains/open-chains.ts'
import type { Config } from './config/config.ts'
import { connectionsMax } from './database-connections.ts'
import { startEvents } from './events/start-events.ts'
import { type HistoryParts, openHistory } from './history/open-history.ts'
import { openRate } from './rate/open-rate.ts'
import type { RateParts } from './rate/read-rates.ts'
import { createIndexJobs, type IndexJobs } from './reindex/index-jobs.ts'
import type { ServiceContext } from './service-context.ts'
import { type KeyParts, startKeys } from './start-keys.ts'

/** Running parts that the listeners serve from. */
export type ServiceParts = Omit<KeyParts, 'leases'> & {
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
  const { config, database, clock, metrics, log, monotonicNow, closers } = context
  const { leases, keyRing, replica, keyUsage } = await startKeys(context)
  // One per chain: an endpoint that serves another chain is used by nobody in the process.
  const identities = new Map(config.chains.map(({ id }) => [id, createChainIdentity(id)]))
  const pools = openPools(config, identities)
  closers.push('pool readers', () => {
    for (const pool of pools.values()) pool.close()
  })
  const readChainTime = createChainTimeReader(config.chains, identities)
  // Before anything is signed or served.
  const time = await startClocks(context, readChainTime)
  const { embedded, indexJobs } = await startIndexes(context, identities)
  const data = openData(config, { embedded, clock, log, metrics, monotonicNow })
  closers.push('remote subgraphs', data.close)
  const queries = openPublicQueries(config, {
    database,
    connectionsMax: connectionsMax.publicQueries,
    embedded,
    metrics,
    closers,
    log,
    monotonicNow,
  })
  const index = { ask: createAskIndex(data), chainIds: data.chainIds }
  const readIndexedPool = createReadIndexedPool(config.chains, index)
  const runningLog = await startLog(context, time)
  const notes = await startIssuing(context, { pools, index, readIndexedPool, readChainTime, time, runningLog })
  const { published, poolWatch, signers } = notes
  const rate = openRate(config, { published, poolWatch, embedded, index, readIndexedPool, pools, log, monotonicNow })
  const history = openHistory({ database, time, index })
  const chains = openChains(config, { signers, poolWatch, pools, log, monotonicNow })
  const hooks = await openHooks(config.hooks, { database, clock, metrics, log, monotonicNow, times: context.hooks })
  closers.push('webhooks', hooks.stop)
  const streams = await startEvents({ ...context, keyRing, published, rate })
  await leases.ready()
  const served = { time, runningLog, notes, data, queries, rate, history, chains, streams }
  return { keyRing, replica, keyUsage, embedded, indexJobs, hooks, ...served }
}

async function startClocks(context: ServiceContext, readChainTime: ReadChainTime): Promise<ClockMonitor> {
  const { config, database, clock, metrics, log, say, monotonicNow, closers } = context
  const time = await startClockMonitor({
    database,
    chains: config.chains,
    readChainTime,
    clock,
    databaseShiftMs: context.databaseShiftMs,
    metrics,
    log,
    say,
    monotonicNow,
    tickMs: context.schedulerTime?.tickMs,
  })
  closers.push('clock monitor', time.stop)
  return time
}

async function startIndexes(
  { config, database, clock, metrics, log, monotonicNow, followMs, closers }: ServiceContext,
  identities: ReadonlyMap<number, ChainIdentity>,
): Promise<Pick<ServiceParts, 'embedded' | 'indexJobs'>> {
  const embedded = await startEmbeddedSubgraphs(config, {
    database,
    connectionsMax: connectionsMax.index,
    closers,
    log,
    monotonicNow,
    identities,
    followMs,
  })
  addSubgraphMetrics(metrics, embedded)
  // The head that this process knows is otherwise that of the old index until the next block.
  const onReplaced = async (chainId: number) => embedded.get(chainId)?.subgraph.readHead()
  const indexJobs = createIndexJobs({ config, database, clock, log, followMs, runsIn: 'service', onReplaced })
  closers.push('index jobs', indexJobs.stop)
  return { embedded, indexJobs }
}

function startLog(context: ServiceContext, time: ClockMonitor): Promise<RunningLog | undefined> {
  const { config, database, clock, metrics, log, say, closers } = context
  return startPublicLog({
    settings: config.log,
    chainIds: config.chains.map(({ id }) => id),
    time,
    database,
    clock,
    metrics,
    log,
    say,
    tickMs: context.schedulerTime?.tickMs,
    closers,
  })
}

function startIssuing(
  context: ServiceContext,
  {
    pools,
    index,
    readIndexedPool,
    readChainTime,
    time,
    runningLog,
  }: Pick<NotesOptions, 'pools' | 'readIndexedPool' | 'readChainTime' | 'time'> & {
    readonly index: Parameters<typeof createFindMaturePositions>[0]
    readonly runningLog: RunningLog | undefined
  },
): Promise<RunningNotes> {
  const { config, database, clock, monotonicNow, schedulerTime, poolWatchTimes, metrics, log, say, closers } = context
  return startNotes({
    settings: config,
    logOrigin: config.log?.origin,
    maxLagSeconds: config.data.maxLagSeconds,
    database,
    clock,
    monotonicNow,
    schedulerTime,
    poolWatchTimes,
    metrics,
    log,
    say,
    closers,
    pools,
    readIndexedPool,
    findMature: createFindMaturePositions(index),
    readChainTime,
    time,
    recorder: runningLog?.noteLog,
    reconcileRecords: runningLog?.reconcile,
  })
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
