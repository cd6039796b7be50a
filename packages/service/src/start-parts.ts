import { addSubgraphMetrics, type EmbeddedSubgraph, startEmbeddedSubgraphs } from '@tallystick/gateway'
import { type ClockMonitor, type RunningNotes, startClockMonitor, startNotes } from '@tallystick/issuer'
import {
  createAddressPolicy,
  createSender,
  type EventStreams,
  type RunningHooks,
  startHookDelivery,
} from '@tallystick/notify'
import { type RunningLog, startPublicLog } from '@tallystick/public-log'
import { type ChainsParts, createChainsParts } from './chains/create-chains-parts.ts'
import { type ChainReaders, createChainReaders } from './create-chain-readers.ts'
import { createGatewayParts, type GatewayParts } from './create-gateway-parts.ts'
import { connectionsMax } from './database/service-database.ts'
import { startEvents } from './events/start-events.ts'
import { createRateParts } from './rate/create-rate-parts.ts'
import type { RateParts } from './rate/read-rates.ts'
import { createIndexJobs, type IndexJobs } from './reindex/index-jobs.ts'
import type { ServiceContext } from './service-context.ts'
import { type KeyParts, startKeys } from './start-keys.ts'
import { startVisitors } from './start-visitors.ts'
import type { VisitorAccess } from './visitors/visitor-access.ts'

type Indexes = {
  /** By chain id. */
  readonly embedded: ReadonlyMap<number, EmbeddedSubgraph>
  readonly jobs: IndexJobs
}

/** Running parts that the listeners serve from. */
export type ServiceParts = {
  readonly keys: KeyParts
  readonly clocks: ClockMonitor
  readonly indexes: Indexes
  readonly gateway: GatewayParts
  /** Undefined if no public log is configured. */
  readonly publicLog: RunningLog | undefined
  readonly notes: RunningNotes
  readonly rate: RateParts
  readonly chains: ChainsParts
  readonly hooks: RunningHooks
  readonly streams: EventStreams
  /** Undefined unless the page is open to people without a key. */
  readonly visitors: VisitorAccess | undefined
}

/** Starts everything but the listeners, from the ground up. */
export async function startParts(context: ServiceContext): Promise<ServiceParts> {
  const keys = await startKeys(context)
  const visitors = await startVisitors(context, keys)
  const readers = createChainReaders(context)
  // Before anything is signed or served.
  const clocks = await startClocks(context, readers)
  const indexes = await startIndexes(context, readers)
  const gateway = createGatewayParts(context, indexes.embedded)
  const publicLog = await startLog(context, clocks)
  const notes = await startIssuing(context, { readers, clocks, gateway, publicLog })
  const { embedded } = indexes
  const rate = createRateParts(context, { notes, gateway, embedded, pools: readers.pools })
  const chains = createChainsParts(context, { notes, pools: readers.pools })
  // The first read of the contracts, so that the first caller need not wait for it.
  void chains.list()
  const hooks = await startHooks(context)
  const streams = await startEvents(context, { keyRing: keys.keyRing, published: notes.published, rate })
  await keys.leases.ready()
  return { keys, clocks, indexes, gateway, publicLog, notes, rate, chains, hooks, streams, visitors }
}

async function startClocks(context: ServiceContext, { readChainTime }: ChainReaders): Promise<ClockMonitor> {
  const clocks = await startClockMonitor({
    database: context.database,
    chains: context.config.chains,
    readChainTime,
    time: context.time,
    databaseShiftMs: context.options.databaseShiftMs,
    metrics: context.metrics,
    log: context.log,
    say: context.say,
  })
  context.closers.push('clock monitor', clocks.stop)
  return clocks
}

async function startIndexes(context: ServiceContext, { identities }: ChainReaders): Promise<Indexes> {
  const { config, database, time, metrics, log, closers } = context
  const embedded = await startEmbeddedSubgraphs(config, {
    database,
    connectionsMax: connectionsMax.index,
    closers,
    log,
    time,
    identities,
  })
  addSubgraphMetrics(metrics, embedded)
  // The head that this process knows is otherwise that of the old index until the next block.
  const onReplaced = async (chainId: number) => embedded.get(chainId)?.subgraph.readHead()
  const jobs = createIndexJobs({ config, database, clock: time, time, log, runsIn: 'service', onReplaced })
  closers.push('index jobs', jobs.stop)
  return { embedded, jobs }
}

function startLog(context: ServiceContext, clocks: ClockMonitor): Promise<RunningLog | undefined> {
  const { config } = context
  return startPublicLog({
    settings: config.log,
    chainIds: config.chains.map(({ id }) => id),
    clocks,
    database: context.database,
    time: context.time,
    metrics: context.metrics,
    log: context.log,
    say: context.say,
    closers: context.closers,
  })
}

type IssuingParts = Pick<ServiceParts, 'clocks' | 'gateway' | 'publicLog'> & { readonly readers: ChainReaders }

function startIssuing(
  context: ServiceContext,
  { readers, clocks, gateway, publicLog }: IssuingParts,
): Promise<RunningNotes> {
  const { config, database, time, metrics, log, say, closers } = context
  const { pools, readChainTime } = readers
  const { readIndexedPool, findMature } = gateway
  const { maxLagSeconds } = config.data
  const sources = { pools, readIndexedPool, maxLagSeconds, findMature, readChainTime }
  const records = config.log &&
    publicLog && { origin: config.log.origin, recorder: publicLog.noteLog, reconcile: publicLog.reconcile }
  return startNotes({ database, time, metrics, log, say, closers }, { settings: config, sources, clocks, records })
}

async function startHooks({ config, database, time, metrics, log, closers }: ServiceContext): Promise<RunningHooks> {
  const sender = createSender({ policy: createAddressPolicy(config.hooks) })
  const hooks = await startHookDelivery({ database, time, metrics, log, sender })
  closers.push('webhooks', hooks.stop)
  return hooks
}
