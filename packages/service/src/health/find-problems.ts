import type { Metrics } from '@tallystick/base'
import type { Problem } from '@tallystick/core'
import type { Address } from 'viem'
import type { Config } from '../config/config.ts'
import { checkNotes } from './check-notes.ts'
import { createFindings } from './findings.ts'
import type { IssueReports } from './issue-reports.ts'
import type { Readiness } from './readiness.ts'

export type ProblemContext = {
  readonly readiness: Readiness
  /** Undefined if the database does not answer. */
  readonly reports: Pick<IssueReports, 'notes' | 'curve'> | undefined
  readonly config: Config
  /** Address of each chain's signer. */
  readonly signers: ReadonlyMap<number, Address | undefined>
  readonly metrics: Pick<Metrics, 'read'>
  readonly nowMs: number
}

/** Returns everything that a running service knows to be wrong, each with a remedy. Urgent problems come first. */
export function findProblems(context: ProblemContext): readonly Problem[] {
  const notes = findNoteProblems(context)
  const problems = [
    ...notes,
    ...findFailedChecks(context.readiness, notes),
    ...findCurveProblems(context),
    ...findAlarms(context),
  ]
  return [
    ...problems.filter(({ outcome }) => outcome === 'fail'),
    ...problems.filter(({ outcome }) => outcome === 'warn'),
  ]
}

function findNoteProblems({ config, reports, signers, nowMs, readiness }: ProblemContext): Problem[] {
  if (!reports) return []
  const findings = createFindings('notes')
  const remedies = findPoolRemedies(readiness)
  checkNotes(findings, { config, reports, isRunning: true, isEmpty: false, signers, remedies })
  const found = findings.checks.flatMap(({ outcome, name, found, advice = '' }): Problem[] =>
    outcome === 'fail' || outcome === 'warn' ? [{ outcome, subject: `notes of ${name}`, found, advice }] : [],
  )
  return [...found, ...findLateSignatures(reports, nowMs)]
}

/** Returns what the checks of the pools say to do, by chain. */
export function findPoolRemedies({ checks }: Pick<Readiness, 'checks'>): ReadonlyMap<number, string> {
  return new Map(
    checks.flatMap(({ name, advice }): [number, string][] => {
      const chainId = /^pool of chain (\d+)$/.exec(name)?.[1]
      return chainId && advice ? [[Number(chainId), advice]] : []
    }),
  )
}

const lateSeconds = 300

/** The same five minutes as the alert of docs/operating/alerts.md. A refusal is reported with its own reason. */
function findLateSignatures({ notes }: Pick<IssueReports, 'notes'>, nowMs: number): Problem[] {
  return notes.chains.flatMap(({ chainId, next }): Problem[] => {
    const seconds = Math.round((Date.parse(next.start) - nowMs) / 1000)
    if (next.signed || next.refusal || seconds > lateSeconds) return []
    return [
      {
        outcome: 'fail',
        subject: `notes of chain ${chainId}`,
        found: `the next period begins in ${seconds} s and is not signed yet`,
        advice: 'Check the signer and the service’s log. Without its notes, /notes fails from the boundary on.',
      },
    ]
  })
}

const advices: readonly (readonly [name: RegExp, advice: string])[] = [
  [/^notes of chain/, 'Check the service’s log.'],
  [/^public listener$/, 'Wait until the start or the shutdown is complete.'],
  [/^signed notes$/, 'Run `tallystick notes reconcile`. See "Signed notes differ" in docs/operating/incidents.md.'],
  [/^clock/, 'Synchronise the clocks of this machine and of the database with NTP. `tallystick doctor` compares them.'],
  [/public log$/, 'Nothing may be lost from it. "A restored database" in docs/log.md explains how to repair it.'],
  [/subgraph of chain/, 'Fix the cause. The service retries automatically. /data answers from the last indexed block.'],
  [/^pool of chain/, 'Run `tallystick doctor` for the details. The service reads the pool again every 15 s.'],
  [/^webhooks$/, 'Repair the receiver, then switch the webhook on again.'],
]
const databaseAdvice =
  'Check that the database runs and that this machine reaches it. The service reconnects automatically. Notes in memory are still served.'

function findFailedChecks({ checks }: Readiness, known: readonly Problem[]): Problem[] {
  return checks
    .filter(({ ok, name }) => !ok && !known.some(({ outcome, subject }) => outcome === 'fail' && subject === name))
    .map(({ name, detail, required, urgent = required, advice }) => ({
      outcome: urgent ? 'fail' : 'warn',
      subject: name,
      found: detail,
      advice: advice ?? advices.find(([pattern]) => pattern.test(name))?.[1] ?? databaseAdvice,
    }))
}

function findCurveProblems({ reports }: ProblemContext): Problem[] {
  if (!reports) return []
  const { problem, proposals = [] } = reports.curve
  return [
    ...(problem
      ? [
          {
            outcome: 'warn' as const,
            subject: 'curve',
            found: problem,
            advice: 'The curve in force stays in force. If its rates become too old, set a curve by hand.',
          },
        ]
      : []),
    ...proposals.map(({ id, proposedBy, expiresAt }) => ({
      outcome: 'warn' as const,
      subject: 'curve',
      found: `proposal ${id} of ${proposedBy} is not in force`,
      advice: `A second person approves it with another admin token before ${expiresAt}, or lets it expire.`,
    })),
  ]
}

const daySeconds = 86_400
const certificateDaysMin = 14

type Alarm = {
  readonly subject: string
  readonly find: (value: number, nowSeconds: number) => string | undefined
  readonly advice: string
}

/** Alarm metrics that no check of the readiness covers. */
export const alarms: Readonly<Record<string, Alarm>> = {
  tallystick_audit_problem: {
    subject: 'audit',
    find: (value) => (value > 0 ? 'rows of the audit were changed or deleted' : undefined),
    advice: '`tallystick doctor` lists the rows. Find out who changed the database.',
  },
  tallystick_certificate_not_after_timestamp_seconds: {
    subject: 'certificate',
    find: (value, nowSeconds) => {
      const days = Math.floor((value - nowSeconds) / daySeconds)
      if (days >= certificateDaysMin) return undefined
      return days < 0 ? 'the TLS certificate has expired' : `the TLS certificate expires in ${days} days`
    },
    advice: 'Renew it and replace the files of listen.tls. They are loaded within 1 s.',
  },
  tallystick_certificate_rejected: {
    subject: 'certificate',
    find: (value) => (value > 0 ? 'the certificate in the files of listen.tls is not used' : undefined),
    advice: 'The certificate before it stays in use. The service’s log says why. `tallystick doctor` checks the files.',
  },
  tallystick_log_dropped_total: {
    subject: 'log of the service',
    find: (value) => (value > 0 ? `${value} log lines were lost since the start` : undefined),
    advice: 'Free disk space, or restart the reader of the pipe that stdout and stderr are written to.',
  },
  tallystick_log_mirror_behind: {
    subject: 'public log',
    find: (value) => (value > 0 ? 'its mirror cannot be written' : undefined),
    advice: 'Check the directory of log.mirror: its permissions and the free disk space.',
  },
  tallystick_treasury_missing_bills: {
    subject: 'curve',
    find: (value) => (value > 0 ? `${value} bills are missing from the newest Treasury rates` : undefined),
    advice: 'Coupons between the remaining bills are interpolated. docs/curve.md explains it.',
  },
  tallystick_treasury_uncompared: {
    subject: 'curve',
    find: (value) => (value > 0 ? 'the Treasury rates are not compared with the second source' : undefined),
    advice: 'The second source fails or is too old. Check curve.plausibility and the service’s log.',
  },
}

function findAlarms({ metrics, nowMs }: ProblemContext): Problem[] {
  return Object.entries(alarms).flatMap(([family, { subject, find, advice }]) =>
    [...metrics.read(family)].flatMap(({ value }): Problem[] => {
      const found = find(value, nowMs / 1000)
      return found === undefined ? [] : [{ outcome: 'warn', subject, found, advice }]
    }),
  )
}
