import { type Clock, toSeconds } from '@tallystick/base'
import { type AuditReport, type StatusReport, TallystickError, type UsageReport } from '@tallystick/core'
import type { Auditor, Database } from '@tallystick/database'
import { discardFromFile, type FullReconcileReport, reconcileFromFile } from '@tallystick/issuer'
import { type AuditCheck, auditHeadPath, checkAudit } from '@tallystick/keys'
import { type LogReport, reconcileLogFromFile, reportLog } from '@tallystick/public-log'
import type { Config } from '../config/config.ts'
import { createIndexJobs, type IndexJobs } from '../reindex/index-jobs.ts'
import { reportAudit } from './audit-list.ts'
import { type CurveOperator, type CurveOperatorContext, createCurveOperator } from './operate-curve.ts'
import { createHookOperator, type HookOperator, type HookOperatorContext } from './operate-hooks.ts'
import { createIndexOperator, type IndexOperator } from './operate-index.ts'
import { createKeyOperator, type KeyOperator, type KeyOperatorContext } from './operate-keys.ts'
import { createNotesOperator, type NotesOperator, type NotesOperatorContext } from './operate-notes.ts'
import { reportUsage } from './usage-report.ts'

/** Commands of an operator, through the admin listener or directly on the database. Plain data in and out. */
export type Operator = KeyOperator &
  CurveOperator &
  NotesOperator &
  HookOperator &
  IndexOperator & {
    /** Lists the newest changes. `filter` is an `AuditFilter` that was not checked yet. */
    showAudit(limit?: number, filter?: object): Promise<AuditReport>
    /** Compares the rows of the audit with their hashes. */
    checkAudit(): Promise<AuditCheck>
    /** Problems and chains of the running service. Throws if there is none. */
    showStatus(): Promise<StatusReport>
    /** Requests of each key in the last days. */
    showUsage(days?: number): Promise<UsageReport>
    /** Verifies the public log in the database. */
    showLog(): Promise<LogReport>
  }

type OperatorOptions = {
  readonly database: Database
  readonly config: Pick<Config, 'chains' | 'tenors' | 'rails' | 'curve' | 'signer' | 'log' | 'hooks' | 'database'>
  readonly clock: Clock
  /** Stores the requests that this process has counted. */
  readonly storeUsage?: (() => Promise<void>) | undefined
  /** Stores the failed sign-ins that this process has counted. */
  readonly storeFailedTokens?: (() => Promise<void>) | undefined
  /** Author of the changes. */
  readonly auditor?: Auditor | undefined
  readonly showStatus?: Operator['showStatus'] | undefined
  /** Jobs on the indexes of the service. By default they run in this process, and end with it. */
  readonly indexJobs?: IndexJobs | undefined
} & Partial<
  Pick<KeyOperatorContext, 'refreshKeys'> &
    Pick<CurveOperatorContext, 'curveProblem' | 'assertClock' | 'poolLimits'> &
    Pick<NotesOperatorContext, 'latestNow' | 'reconcile' | 'discard'> &
    Pick<HookOperatorContext, 'sender'>
>

export function createOperator(options: OperatorOptions): Operator {
  const { database, config, clock } = options
  const auditor = options.auditor ?? { actor: 'local' }
  return {
    ...createKeyOperator({
      database,
      clock,
      auditor,
      refreshKeys: options.refreshKeys,
      storeUsage: options.storeUsage,
    }),
    ...createCurveOperator({
      database,
      config,
      clock,
      auditor,
      curveProblem: options.curveProblem ?? (() => undefined),
      assertClock: options.assertClock ?? (async () => undefined),
      poolLimits: options.poolLimits ?? (() => undefined),
    }),
    ...createNotesOperator({
      database,
      config,
      clock,
      auditor,
      latestNow: options.latestNow ?? (async () => clock.now()),
      reconcile: options.reconcile ?? ((auditor) => reconcileFiles(options, auditor)),
      discard: options.discard ?? ((request) => discardFromFile(database, { config, request })),
    }),
    ...createHookOperator({ database, config, clock, auditor, sender: options.sender }),
    ...createIndexOperator(
      options.indexJobs ?? createIndexJobs({ database, config, clock, runsIn: 'command' }),
      auditor,
    ),
    showAudit: async (limit, filter) => {
      // Otherwise every look at the audit would add rows to it.
      if (isOfTokens(filter)) await options.storeFailedTokens?.()
      return reportAudit(database, { limit, filter })
    },
    checkAudit: () => checkAudit(database, auditHeadPath(config)),
    showStatus: options.showStatus ?? (() => Promise.reject(noService())),
    showUsage: async (wanted) => {
      await options.storeUsage?.()
      return reportUsage(database, { wanted, nowSeconds: toSeconds(clock.now()) })
    },
    showLog: () => reportLog(database),
  }
}

function isOfTokens(filter: object = {}): boolean {
  return 'action' in filter && filter.action === 'admin.token'
}

/** Reconciles with the journals of the signer and of the public log, which no service has open. */
function reconcileFiles({ database, config, clock }: OperatorOptions, auditor: Auditor): Promise<FullReconcileReport> {
  const { log: files, chains } = config
  const chainIds = chains.map(({ id }) => id)
  const reconcileRecords =
    files && ((nowSeconds: bigint) => reconcileLogFromFile(database, { files, chainIds, nowSeconds, auditor }))
  return reconcileFromFile(database, { config, time: clock, auditor, reconcileRecords })
}

function noService(): TallystickError {
  return new TallystickError({
    code: 'server_unreachable',
    message: 'No service runs with this configuration. `tallystick doctor` checks the installation without one.',
    retryable: true,
  })
}
