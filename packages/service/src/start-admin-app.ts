import { settleWithin } from '@tallystick/base'
import type { Auditor } from '@tallystick/database'
import { isDatabaseAway } from '@tallystick/http'
import { watchAudit } from '@tallystick/keys'
import { buildAdminApp } from './admin/admin-app.ts'
import { startFailedTokens } from './admin/failed-tokens.ts'
import { createOperator, type Operator } from './admin/operator.ts'
import { reportStatus, type StatusParts } from './admin/status-report.ts'
import { listAdminTokens } from './config/admin-tokens.ts'
import { collectFindings, type FindingsContext } from './health/collect-findings.ts'
import { checkReadiness, type Readiness, type ReadinessParts } from './health/readiness.ts'
import { loadConsole } from './portal/load-portal.ts'
import type { ServiceContext } from './service-context.ts'
import type { ServiceParts } from './start-parts.ts'

type Reports = FindingsContext['reports']

type AdminContext = {
  readonly parts: ServiceParts
  readonly nextRequestId: () => string
  readonly isListening: () => boolean
}

/** Builds the app of the admin listener and starts the checks that only it shows. */
export function startAdminApp(context: ServiceContext, { parts, nextRequestId, isListening }: AdminContext) {
  const { config, time, database, log, metrics, closers } = context
  const readinessParts = listReadinessParts(context, { parts, isListening })
  const readReadiness = () => checkReadiness(readinessParts)
  metrics.gauge('tallystick_ready', () => [{ value: readReadiness().ready ? 1 : 0 }])
  const signers = new Map([...parts.notes.signers].map(([chainId, { address }]) => [chainId, address]))
  const findWrong = (readiness: Readiness, reports?: Reports) =>
    collectFindings({ readiness, reports, config, signers, metrics, nowMs: time.now() })
  const statusParts = listStatusParts(context, parts)
  const showStatus = async () => {
    const reports = context.checkDatabase().severity === 'ok' ? await readReports(operatorFor()) : undefined
    const readiness = readReadiness()
    const { ready, degraded } = readiness
    return reportStatus(statusParts, { ready, degraded, findings: findWrong(readiness, reports) })
  }
  const failedTokens = startFailedTokens({ database, metrics, time, log })
  const operatorFor = createOperatorFor(context, { parts, showStatus, storeFailedTokens: failedTokens.record })
  closers.push('check of the audit', watchAudit({ database, config, time, metrics, log }).stop)
  closers.push('failed admin tokens', failedTokens.stop)
  return buildAdminApp({
    time,
    log,
    metrics,
    nextRequestId,
    failedTokens,
    tokens: listAdminTokens(config.admin),
    operatorFor: ({ actor, remark }) => operatorFor({ actor, remark, log }),
    checkReadiness: readReadiness,
    collectFindings: findWrong,
    // Only a sandbox shows its key to everybody.
    isSandbox: context.options.portal?.visitor !== undefined,
    console: { files: loadConsole(context.options.portal), host: config.admin.host },
  })
}

type OperatedParts = {
  readonly parts: ServiceParts
  readonly showStatus: Operator['showStatus']
  readonly storeFailedTokens: () => Promise<void>
}

function createOperatorFor(
  { config, time, database }: ServiceContext,
  { parts: { keys, clocks, notes, indexes, hooks }, showStatus, storeFailedTokens }: OperatedParts,
): (auditor?: Auditor) => Operator {
  return (auditor) =>
    createOperator({
      database,
      config,
      clock: time,
      auditor,
      refreshKeys: keys.replica.refreshKeys,
      storeUsage: keys.keyUsage.store,
      storeFailedTokens,
      curveProblem: notes.curveSource.problem,
      reconcile: notes.journalChecks.reconcile,
      discard: notes.journalChecks.discard,
      indexJobs: indexes.jobs,
      latestNow: clocks.latestNow,
      assertClock: clocks.assertCertain,
      sender: hooks.sender,
      showStatus,
      poolLimits: (chainId) => notes.poolWatch.find(chainId)?.state?.limits,
    })
}

function listReadinessParts(
  { config, time, checkDatabase }: ServiceContext,
  { parts, isListening }: Pick<AdminContext, 'parts' | 'isListening'>,
): ReadinessParts {
  const { clocks, notes, indexes, gateway, hooks, publicLog } = parts
  return {
    published: notes.published,
    time,
    chainIds: config.chains.map(({ id }) => id),
    isListening,
    subgraphs: indexes.embedded,
    remote: gateway.data.remote,
    poolWatch: notes.poolWatch,
    checkParts: () => [
      checkDatabase(),
      notes.journalChecks.check(),
      ...clocks.check(),
      ...(publicLog?.checks() ?? []),
      ...notes.checkProtection(),
      hooks.check(),
    ],
  }
}

function listStatusParts({ config, time }: ServiceContext, { notes, indexes, gateway }: ServiceParts): StatusParts {
  const { published, poolWatch } = notes
  const { remote, twoSource } = gateway.data
  return { config, time, published, poolWatch, subgraphs: indexes.embedded, remote, twoSource }
}

// Longer than a database takes to be found silent.
const reportsMs = 3_000

/** Reads the reports that are checked. Returns undefined if the database does not answer: the readiness says so. */
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
