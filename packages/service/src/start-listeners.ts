import { settleWithin } from '@tallystick/base'
import {
  createCors,
  createCutCounter,
  createLameDuck,
  drain,
  isDatabaseAway,
  isLoopback,
  limitConnections,
  listen,
  type OpenTls,
  openTls,
  paceRequests,
  paceServer,
} from '@tallystick/http'
import { watchAudit } from '@tallystick/keys'
import type { FastifyInstance } from 'fastify'
import { buildAdminApp } from './admin/admin-app.ts'
import { startFailedTokens } from './admin/failed-tokens.ts'
import { createOperator, type Operator } from './admin/operator.ts'
import { reportStatus } from './admin/status-report.ts'
import { buildApp } from './app.ts'
import { listAdminTokens } from './config/admin-tokens.ts'
import { createKnownRequests } from './data/known-requests.ts'
import { createAnalysePersisted } from './data/persisted-queries.ts'
import { openEns } from './ens/open-ens.ts'
import { findProblems, type ProblemContext } from './health/find-problems.ts'
import { checkReadiness, type Readiness } from './health/readiness.ts'
import { openLanes } from './open-lanes.ts'
import { openConsole, openPortal } from './portal/open-portal.ts'
import type { ServiceContext } from './service-context.ts'
import type { ServiceParts } from './start-parts.ts'

/** Opens the admin listener, then the public one. */
export async function startListeners(
  context: ServiceContext,
  parts: ServiceParts,
): Promise<{ readonly baseUrl: string; readonly adminUrl: string }> {
  const { config, metrics, closers, say } = context
  // A proxy terminates TLS itself.
  const tls = config.listen.tls && openTls(config.listen.tls, context)
  closers.push('certificates', () => tls?.stopWatching())
  const lameDuck = createLameDuck(config.listen.lameDuckSeconds, context.waitLameDuck)
  const isListening = () => app.server.listening && !lameDuck.hasBegun()
  const app = await buildPublicApp(context, { ...parts, tls, isListening })
  const admin = buildAdmin(context, { ...parts, isListening })

  const onCut = createCutCounter(metrics, 'pipelined')
  paceServer(admin.server, onCut)
  // With TLS the lanes are paced.
  if (!tls) paceServer(app.server, onCut)
  const { connectionsMax, connectionsPerAddressMax, proxy } = config.listen
  limitConnections(
    { publicServer: app.server, adminServer: admin.server },
    { connectionsMax, connectionsPerAddressMax, exempt: proxy?.trust ?? [], metrics, say },
  )
  const adminUrl = await listen(admin, { ...config.admin, scheme: 'http' })
  closers.push('admin listener', () => admin.close())
  say(`admin listener on ${adminUrl}`)
  say(`operator’s console on ${adminUrl}/console`)
  if (!isLoopback(config.admin.host)) {
    say('WARNING: the admin listener uses plain HTTP and is not on loopback; its token is sent unencrypted')
  }
  const baseUrl = await listen(app, { ...config.listen, scheme: tls ? 'https' : 'http' })
  closers.push('public listener', () => drain(app, tls))
  closers.push('lame duck', () => lameDuck.begin(app.server))
  // First of all: the clients of streams connect to another replica.
  closers.push('streams', () => parts.streams.end())
  return { baseUrl, adminUrl }
}

type ListenerParts = ServiceParts & { readonly isListening: () => boolean }

async function buildPublicApp(
  context: ServiceContext,
  parts: ListenerParts & { readonly tls: OpenTls | undefined },
): Promise<FastifyInstance> {
  const { config, clock, database, metrics } = context
  const onCut = createCutCounter(metrics, 'pipelined')
  const { tls, keyRing, time, data, rate, history, chains, queries, streams, isListening } = parts
  const { published, scheduler, signers } = parts.notes
  const { analyse, gateway } = data
  const knownRequests = createKnownRequests()
  const chainIds = config.chains.map(({ id }) => id)
  const cors = createCors(config.listen.cors)
  const lanes = { ...context, cors, writer: context.premadeWriter, published, time, keyRing, chainIds, isListening }
  const addLanes = tls && (await openLanes({ ...lanes, gateway, knownRequests }))
  return buildApp(config, {
    ...context,
    cors,
    keyRing,
    notes: { published, scheduler, clock, time },
    data: { ...data, analysePersisted: createAnalysePersisted(analyse), knownRequests },
    rate,
    history,
    chains,
    publicLog: parts.runningLog && { ...parts.runningLog, database },
    queries,
    events: { streams },
    portal: openPortal({ config, signers, options: context.portal }),
    ens: openEns(config, context),
    serverFactory: tls && addLanes && ((handler) => tls.server.on('request', paceRequests(addLanes(handler), onCut))),
  })
}

function buildAdmin(context: ServiceContext, parts: ListenerParts): FastifyInstance {
  const { config, clock, database, log, metrics, checkDatabase, closers } = context
  const { replica, time, notes, embedded, data, hooks, isListening } = parts
  const { published, poolWatch, journalChecks, curveSource } = notes
  const operatorParts = {
    ...{ database, config, clock },
    ...{ refreshKeys: replica.refreshKeys, storeUsage: parts.keyUsage.store, curveProblem: curveSource.problem },
    ...{ reconcile: journalChecks.reconcile, discard: journalChecks.discard },
    indexJobs: parts.indexJobs,
    ...{ latestNow: time.latestNow, assertClock: time.assertCertain, sender: hooks.sender },
    poolLimits: (chainId: number) => poolWatch.find(chainId)?.state?.limits,
  }
  const readinessParts = {
    ...{ config, checkDatabase, published, clock, chainIds: config.chains.map(({ id }) => id), isListening },
    ...{ subgraphs: embedded, remote: data.remote, twoSource: data.twoSource, poolWatch },
    ...{ checkSignedNotes: journalChecks.check, checkClocks: time.check, checkHooks: hooks.check },
    checkLog: () => parts.runningLog?.checks() ?? [],
    checkProtection: notes.checkProtection,
  }
  metrics.gauge('tallystick_ready', () => [{ value: checkReadiness(readinessParts).ready ? 1 : 0 }])
  const addresses = new Map([...notes.signers].map(([chainId, { address }]) => [chainId, address]))
  const listProblems = (readiness: Readiness, reports?: Reports) =>
    findProblems({ readiness, reports, config, signers: addresses, metrics, nowMs: clock.now() })
  const showStatus = async () => {
    const reports = checkDatabase().ok ? await readReports(createOperator(operatorParts)) : undefined
    const readiness = checkReadiness(readinessParts)
    return reportStatus(readinessParts, { ...readiness, problems: listProblems(readiness, reports) })
  }
  closers.push('check of the audit', watchAudit(context).stop)
  const failedTokens = startFailedTokens(context)
  closers.push('failed admin tokens', failedTokens.stop)
  return buildAdminApp({
    ...context,
    failedTokens,
    tokens: listAdminTokens(config.admin),
    operatorFor: ({ actor, remark }) =>
      createOperator({ ...operatorParts, showStatus, auditor: { actor, remark, log } }),
    checkReadiness: () => checkReadiness(readinessParts),
    listProblems,
    console: { files: openConsole(context.portal), host: config.admin.host },
  })
}

// Longer than a database takes to be found silent.
const reportsMs = 3_000

type Reports = ProblemContext['reports']

/** Reads what the problems are found in. Returns undefined if the database does not answer: the readiness says so. */
async function readReports(operator: Pick<Operator, 'showNotes' | 'showCurve'>): Promise<Reports> {
  let reports: Reports
  const reading = Promise.all([operator.showNotes(), operator.showCurve()]).then(
    ([notes, curve]) => {
      reports = { notes, curve }
    },
    (error) => {
      if (!isDatabaseAway(error)) throw error
    },
  )
  await settleWithin(reading, reportsMs)
  return reports
}
