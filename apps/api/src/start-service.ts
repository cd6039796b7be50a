import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { formatPeriod, periodAt } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { Follower } from '@tallystick/subgraph'
import type { Logger } from 'pino'
import { buildAdminApp } from './admin/admin-app.ts'
import { listAdminTokens } from './admin/admin-tokens.ts'
import { createOperator } from './admin/operator.ts'
import { checkReadiness } from './admin/readiness.ts'
import { type AppParts, buildApp } from './app.ts'
import { createPoolReader, type PoolReader } from './chain/pool-reader.ts'
import { type Clock, toSeconds } from './clock.ts'
import type { Config } from './config.ts'
import { maxAgeBusinessDaysDefault } from './config-schema.ts'
import { dataMetricHelp } from './data/data-metrics.ts'
import { startEmbeddedSubgraphs } from './data/embedded-subgraphs.ts'
import { openData } from './data/open-data.ts'
import { openPublicQueries } from './data/open-public-queries.ts'
import { remoteMetricHelp } from './data/remote/remote-metrics.ts'
import { addSubgraphMetrics, subgraphMetricHelp } from './data/subgraph-metrics.ts'
import { addHostMetrics, type HostMetricsOptions, hostMetricHelp } from './host-metrics.ts'
import { createDateFormatter, createRequestIds, securityHeaders } from './http/common-headers.ts'
import { plainHttpAnswer } from './http/https-required.ts'
import { createLameDuck } from './http/lame-duck.ts'
import { connectionMetricHelp, limitConnections } from './http/limit-connections.ts'
import { drain, isLoopback, listen } from './http/listen.ts'
import { httpMetricHelp } from './http/measure.ts'
import { measureCertificate } from './http/measure-certificate.ts'
import type { PremadeWriter } from './http/premade-answer.ts'
import { createTlsServer } from './http/tls-server.ts'
import { type Certificate, watchCertificate } from './http/watch-certificate.ts'
import { openKeyRing } from './keys/key-ring.ts'
import { announceReplica } from './keys/replicas.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createChainTimeReader, type ReadChainTime } from './notes/chain-time.ts'
import { type CurveSource, manualCurveSource } from './notes/curve/curve-source.ts'
import { startIssueScheduler } from './notes/issue/issue-scheduler.ts'
import { createPreflight, type Preflight } from './notes/issue/preflight.ts'
import { createPreflightMetrics, preflightMetricHelp } from './notes/issue/preflight-metrics.ts'
import { discrepancyMetricHelp } from './notes/journal/discrepancy-monitor.ts'
import { createJournalGuard } from './notes/journal/journal-guard.ts'
import { openSignerJournal } from './notes/journal/signer-journal.ts'
import { type JournalChecks, startJournalChecks } from './notes/journal/start-journal-checks.ts'
import { createNoteMetrics, noteMetricHelp } from './notes/note-metrics.ts'
import { createPublishedNotes, type PublishedNotes, withClockCheck } from './notes/published-notes.ts'
import { openSigner } from './notes/signers/open-signer.ts'
import { treasuryMetricHelp } from './notes/treasury/treasury-metrics.ts'
import { startTreasurySource } from './notes/treasury/treasury-source.ts'
import { type PoolWatchIntervals, poolMetricHelp, watchPools } from './notes/watch/watch-pools.ts'
import { openLanes } from './open-lanes.ts'
import { openPortal, type PortalOptions } from './portal/open-portal.ts'
import { openRate } from './rate/open-rate.ts'
import { openServiceDatabase } from './service-database.ts'
import { type ClockMonitor, clockMetricHelp, startClockMonitor } from './time/clock-monitor.ts'

export type Service = {
  readonly baseUrl: string
  readonly adminUrl: string
  /** What follows the chains that have an embedded subgraph. */
  readonly followers: readonly Pick<Follower, 'status'>[]
  /** Stops accepting, finishes what is under way, and closes everything. */
  stop(): Promise<void>
}

export type ServiceOptions = {
  readonly config: Config
  readonly clock: Clock
  readonly log: Logger
  /** Tells the person at the terminal what is going on. */
  readonly say: (line: string) => void
  /** Where `log` and `say` go, so that lines they lose are counted. */
  readonly writers?: HostMetricsOptions['writers'] | undefined
  readonly portal?: PortalOptions | undefined
  /** Writes the answers of the lanes. Tests inject one that differs from Node. */
  readonly premadeWriter?: PremadeWriter | undefined
  /** How often the pools are looked at. Tests inject shorter times. */
  readonly poolWatchTimes?: PoolWatchIntervals | undefined
  /** Added to the database's clock, where `clock` is moved away from the machine's on purpose. Milliseconds, 0 by default. */
  readonly databaseShiftMs?: (() => number) | undefined
  /** Open database of the service, which closes it. By default the one that `config` names is opened. */
  readonly database?: Database | undefined
}

/** Starts the whole service: database, keys, signer, notes, both listeners. What was opened is closed if a step fails. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const closers: (() => Promise<unknown> | unknown)[] = []
  const closeAll = async () => {
    for (const close of closers.reverse().splice(0)) await close()
  }
  try {
    const database = options.database ?? (await openServiceDatabase(options.config.database.reveal(), options.say))
    closers.push(() => database.close())
    return await startOn(database, { ...options, closers, closeAll })
  } catch (error) {
    await closeAll()
    throw error
  }
}

type Surroundings = ServiceOptions & {
  readonly closers: (() => Promise<unknown> | unknown)[]
  readonly closeAll: () => Promise<void>
}

async function startOn(database: Database, surroundings: Surroundings): Promise<Service> {
  const { config, clock, log, say, closers, closeAll } = surroundings
  const metrics = createMetrics(metricHelp)
  const common = { clock, log, metrics, monotonicNow: () => performance.now(), nextRequestId: createRequestIds() }
  const keyRing = await openKeyRing({ database, log })
  closers.push(() => keyRing.close())
  closers.push(addHostMetrics(metrics, { keyRing, clock, writers: surroundings.writers ?? {} }))
  const name = `${hostname()}:${config.listen.port}`
  const replica = await announceReplica(database, { name, keyRing, log })
  closers.push(() => replica.stop())
  say(`${keyRing.size} API key${keyRing.size === 1 ? '' : 's'} in force`)

  const pools = openPools(config)
  closers.push(() => {
    for (const pool of pools.values()) pool.close()
  })
  const clocks = await startClocks(database, { ...surroundings, ...common })
  const notes = await startNotes(database, { ...surroundings, ...common, ...clocks, pools })
  const { published, scheduler, signer, poolWatch, journalChecks, curveSource, time } = notes
  const embedded = await startEmbeddedSubgraphs(config, { ...common, database, closers })
  addSubgraphMetrics(metrics, embedded)
  const data = openData(config, { embedded, ...common })
  closers.push(data.close)
  const queries = openPublicQueries(config, { database, embedded, closers, ...common })
  const rate = openRate(config, { published, data, pools, poolWatch, ...common })

  const chainIds = config.chains.map(({ id }) => id)
  const tls = openTls(config, common)
  closers.push(() => tls?.stopWatching())
  const { gateway, knownRequests } = data
  const writer = surroundings.premadeWriter
  const lameDuck = createLameDuck(config.listen.lameDuckSeconds)
  const isListening = () => app.server.listening && !lameDuck.hasBegun()
  const laned = { ...common, writer, published, time, keyRing, chainIds, gateway, knownRequests, isListening }
  const addLanes = tls && (await openLanes(laned))
  const app = buildApp(config, {
    ...common,
    keyRing,
    notes: { published, scheduler, clock, time },
    data,
    rate,
    queries,
    portal: openPortal(database, { config, signer, options: surroundings.portal }),
    serverFactory: tls && addLanes && ((handler) => tls.server.on('request', addLanes(handler))),
  })
  const watched = { poolWatch, checkSignedNotes: journalChecks.check, checkClocks: time.check }
  const looked = { database, published, clock, chainIds, subgraphs: embedded, remote: data.remote, ...watched }
  const hooks = { takeInKeys: replica.takeInKeys, curveProblem: curveSource.problem, ...operatorHooks(notes) }
  const admin = buildAdminApp({
    ...common,
    tokens: listAdminTokens(config.admin),
    operatorFor: (who) => createOperator({ database, config, clock, ...hooks, auditor: { ...who, log } }),
    checkReadiness: () => checkReadiness({ ...looked, isListening }),
  })

  limitConnections({ publicServer: app.server, adminServer: admin.server }, { ...config, metrics, say })
  const adminUrl = await listen(admin, { ...config.admin, scheme: 'http' })
  closers.push(() => admin.close())
  say(`admin listener on ${adminUrl}`)
  if (!isLoopback(config.admin.host))
    say('WARNING: the admin listener is plain HTTP and not on loopback: its token travels in the clear')
  const baseUrl = await listen(app, { ...config.listen, scheme: tls ? 'https' : 'http' })
  closers.push(() => drain(app, tls))
  closers.push(() => lameDuck.begin(app.server))
  const followers = [...embedded.values()].map(({ follower }) => follower)
  return { baseUrl, adminUrl, followers, stop: closeAll }
}

/** What an operator's work needs of the parts that run. */
function operatorHooks(notes: { readonly journalChecks: JournalChecks; readonly time: ClockMonitor }) {
  const { reconcile, discard } = notes.journalChecks
  return { reconcile, discard, latestNow: notes.time.latestNow, assertClock: notes.time.assertCertain }
}

const metricHelp = {
  ...httpMetricHelp,
  ...hostMetricHelp,
  ...connectionMetricHelp,
  ...noteMetricHelp,
  ...preflightMetricHelp,
  ...discrepancyMetricHelp,
  ...subgraphMetricHelp,
  ...dataMetricHelp,
  ...remoteMetricHelp,
  ...treasuryMetricHelp,
  ...poolMetricHelp,
  ...clockMetricHelp,
}

type NotesSurroundings = Surroundings & {
  readonly metrics: Metrics
  readonly monotonicNow: () => number
  readonly pools: ReadonlyMap<number, PoolReader>
  readonly readChainTime: ReadChainTime
  readonly time: ClockMonitor
}

/** Measures the other clocks before anything is signed or served. */
async function startClocks(database: Database, options: Omit<NotesSurroundings, 'pools' | 'readChainTime' | 'time'>) {
  const { chains } = options.config
  const readChainTime = createChainTimeReader(chains)
  const time = await startClockMonitor({ ...options, database, chains, readChainTime })
  options.closers.push(time.stop)
  return { readChainTime, time }
}

async function startNotes(database: Database, surroundings: NotesSurroundings) {
  const { config, clock, log, say, closers, metrics, monotonicNow, readChainTime, time } = surroundings
  const signer = await openSigner(config.signer)
  say(`signing as ${signer.address} (${signer.kind})`)
  const journal = await openSignerJournal(config.signer.journal, { create: true, say })
  closers.push(() => journal.close())
  const chainIds = config.chains.map(({ id }) => id)
  const published = createPublishedNotes(chainIds)
  const offered = withClockCheck(published, time.agrees)
  const { tenors, rails, chains, curve } = config
  const preflight = openPreflight(surroundings)
  const curveSource = await openCurveSource(database, { ...surroundings, published })
  closers.push(() => curveSource.stop())
  const { maxMoveBps, signAheadSeconds } = rails
  const maxAgeBusinessDays = curve.source === 'treasury' ? curve.maxAgeBusinessDays : maxAgeBusinessDaysDefault
  const noteMetrics = createNoteMetrics({ metrics, clock, published: offered, chainIds })
  const issueContext = {
    ...{ database, clock, signer, readChainTime, clocks: time, curveSource, preflight },
    ...{ tenors, maxMoveBps, windowLimits: rails, maxAgeBusinessDays, signAheadSeconds },
  }
  const scheduler = await startIssueScheduler({
    context: { ...issueContext, journal: createJournalGuard(database, journal) },
    chains,
    earlierSigner: rails.earlierSigner,
    published,
    preflight,
    metrics: noteMetrics,
    log,
    monotonicNow,
  })
  // Together: the scheduler may be waiting for a fetch, which only the source can cut short.
  closers.push(() => Promise.all([curveSource.stop(), scheduler.stop()]))
  const times = surroundings.poolWatchTimes
  const poolWatch = await watchPools({ ...surroundings, published, database, noteMetrics, times })
  closers.push(() => poolWatch.stop())
  const journalChecks = await startJournalChecks(database, { ...surroundings, published, journal })
  closers.push(() => journalChecks.stop())
  const current = offered.at(clock.now())
  for (const { id, name } of chains) {
    const count = current?.sets.get(id)?.notes.length ?? 0
    const period = formatPeriod(periodAt(toSeconds(clock.now())))
    if (count > 0) say(`${count} notes of ${period} on chain ${id} (${name})`)
    else say(`NO NOTES of ${period} on chain ${id} (${name}): \`tallystick notes show\` says why`)
  }
  return { published: offered, scheduler, signer: signer.address, poolWatch, journalChecks, curveSource, time }
}

/** What reads the pools of the chains that have an RPC. */
function openPools({ chains }: Config): ReadonlyMap<number, PoolReader> {
  const reachable = chains.filter(({ rpc }) => rpc.length > 0)
  return new Map(reachable.map((chain) => [chain.id, createPoolReader({ chain })]))
}

/** What shows notes to the pools. */
function openPreflight({ config, pools, ...parts }: NotesSurroundings): Preflight {
  const mode = config.rails.preflight
  const readers = mode === 'off' ? new Map<number, PoolReader>() : pools
  const metrics = createPreflightMetrics({ ...parts, chainIds: [...readers.keys()] })
  return createPreflight({ ...parts, mode, readers, metrics })
}

async function openCurveSource(
  database: Database,
  { config, time, ...parts }: NotesSurroundings & { readonly published: PublishedNotes },
): Promise<CurveSource> {
  const { curve } = config
  if (curve.source === 'manual') return manualCurveSource
  return startTreasurySource({
    ...parts,
    database,
    config: { ...config, curve },
    findUncertainty: time.findUncertainty,
  })
}

/** The TLS side of the public listener; undefined behind a proxy, which has it. */
function openTls(
  { listen }: Config,
  { metrics, clock, log, nextRequestId }: Pick<AppParts, 'metrics' | 'clock' | 'log' | 'nextRequestId'>,
) {
  if (!listen.tls) return undefined
  const refusals = metrics.counter('tallystick_plain_http_total')
  const formatDate = createDateFormatter()
  const answerPlain = (firstBytes: Buffer) => {
    refusals.increment()
    const head = firstBytes.subarray(0, 5).toString('latin1') === 'HEAD '
    return plainHttpAnswer({
      requestId: nextRequestId(),
      date: formatDate(clock.now()),
      headers: securityHeaders,
      head,
    })
  }
  const current = { cert: readFileSync(listen.tls.cert), key: readFileSync(listen.tls.key) }
  const tls = createTlsServer({ ...current, answerPlain })
  const measured = measureCertificate(metrics, current)
  const onChange = (certificate: Certificate) => {
    tls.setCertificate(certificate)
    measured.change(certificate)
  }
  const stopWatching = watchCertificate(listen.tls, { current, onChange, log })
  return { ...tls, stopWatching }
}
