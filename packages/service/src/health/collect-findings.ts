import type { Metrics } from '@tallystick/base'
import { countOf } from '@tallystick/base/pure'
import type { Finding } from '@tallystick/core'
import type { Address } from 'viem'
import type { Config } from '../config/config.ts'
import { checkNotes, type IssueReports } from './check-notes.ts'
import type { Readiness } from './readiness.ts'

export type FindingsContext = {
  readonly readiness: Pick<Readiness, 'findings'>
  /** Undefined if the database does not answer. */
  readonly reports: Pick<IssueReports, 'notes' | 'curve'> | undefined
  readonly config: Pick<Config, 'tenors' | 'curve'>
  /** Address of each chain's signer. */
  readonly signers: ReadonlyMap<number, Address | undefined>
  readonly metrics: Pick<Metrics, 'read'>
  readonly nowMs: number
}

/** Returns everything that a running service knows to be wrong, each with a remedy. Warnings come last. */
export function collectFindings(context: FindingsContext): readonly Finding[] {
  const { readiness, reports } = context
  const notes = reports ? findNoteFaults(reports, context) : []
  const isKnown = ({ subject }: Finding) => notes.some((note) => note.severity === 'fail' && note.subject === subject)
  const all = [
    ...notes,
    ...readiness.findings.filter((finding) => finding.severity !== 'ok' && !isKnown(finding)),
    ...(reports ? findCurveFaults(reports) : []),
    ...findAlarms(context),
  ]
  return [...all.filter(({ severity }) => severity !== 'warn'), ...all.filter(({ severity }) => severity === 'warn')]
}

type Reports = NonNullable<FindingsContext['reports']>

function findNoteFaults(reports: Reports, { config, signers, nowMs, readiness }: FindingsContext): Finding[] {
  const found = checkNotes({ config, reports, isRunning: true, signers, readiness: readiness.findings })
  return [...found.filter(({ severity }) => severity !== 'ok'), ...findLateSignatures(reports, nowMs)].map(
    (finding) => ({ ...finding, subject: `notes of ${finding.subject}` }),
  )
}

const lateSeconds = 300

/** The same five minutes as the alert of docs/operating/alerts.md. A refusal is reported with its own reason. */
function findLateSignatures({ notes }: Reports, nowMs: number): Finding[] {
  return notes.chains.flatMap(({ chainId, next }): Finding[] => {
    const seconds = Math.round((Date.parse(next.start) - nowMs) / 1000)
    if (next.signed || next.refusal || seconds > lateSeconds) return []
    return [
      {
        subject: `chain ${chainId}`,
        severity: 'fail',
        message: `the next period begins in ${seconds} s and is not signed yet`,
        remedy: 'Check the signer and the service’s log. Without its notes, /notes fails from the boundary on.',
      },
    ]
  })
}

function findCurveFaults({ curve }: Reports): Finding[] {
  const { problem, proposals = [] } = curve
  const remedy = 'The curve in force stays in force. If its rates become too old, set a curve by hand.'
  return [
    ...(problem ? [{ subject: 'curve', severity: 'warn' as const, message: problem, remedy }] : []),
    ...proposals.map(({ id, proposedBy, expiresAt }) => ({
      subject: 'curve',
      severity: 'warn' as const,
      message: `proposal ${id} of ${proposedBy} is not in force`,
      remedy: `A second person approves it with another admin token before ${expiresAt}, or lets it expire.`,
    })),
  ]
}

const daySeconds = 86_400
const certificateDaysMin = 14

type Alarm = {
  readonly subject: string
  readonly find: (value: number, nowSeconds: number) => string | undefined
  readonly remedy: string
}

/** Alarm metrics that no check of the readiness covers. */
export const alarms: Readonly<Record<string, Alarm>> = {
  tallystick_audit_problem: {
    subject: 'audit',
    find: (value) => (value > 0 ? 'rows of the audit were changed or deleted' : undefined),
    remedy: '`tallystick doctor` lists the rows. Find out who changed the database.',
  },
  tallystick_certificate_not_after_timestamp_seconds: {
    subject: 'certificate',
    find: (value, nowSeconds) => {
      const days = Math.floor((value - nowSeconds) / daySeconds)
      if (days >= certificateDaysMin) return undefined
      return days < 0 ? 'the TLS certificate has expired' : `the TLS certificate expires in ${countOf(days, 'day')}`
    },
    remedy: 'Renew it and replace the files of listen.tls. They are loaded within 1 s.',
  },
  tallystick_certificate_rejected: {
    subject: 'certificate',
    find: (value) => (value > 0 ? 'the certificate in the files of listen.tls is not used' : undefined),
    remedy: 'The certificate before it stays in use. The service’s log says why. `tallystick doctor` checks the files.',
  },
  tallystick_log_dropped_total: {
    subject: 'log of the service',
    find: (value) => (value > 0 ? `${value} log lines were lost since the start` : undefined),
    remedy: 'Free disk space, or restart the reader of the pipe that stdout and stderr are written to.',
  },
  tallystick_log_mirror_behind: {
    subject: 'public log',
    find: (value) => (value > 0 ? 'its mirror cannot be written' : undefined),
    remedy: 'Check the directory of log.mirror: its permissions and the free disk space.',
  },
  tallystick_treasury_missing_bills: {
    subject: 'curve',
    find: (value) => (value > 0 ? `${value} bills are missing from the newest Treasury rates` : undefined),
    remedy: 'Coupons between the remaining bills are interpolated. docs/curve.md explains it.',
  },
  tallystick_treasury_uncompared: {
    subject: 'curve',
    find: (value) => (value > 0 ? 'the Treasury rates are not compared with the second source' : undefined),
    remedy: 'The second source fails or is too old. Check curve.plausibility and the service’s log.',
  },
}

function findAlarms({ metrics, nowMs }: FindingsContext): Finding[] {
  return Object.entries(alarms).flatMap(([family, { subject, find, remedy }]) =>
    [...metrics.read(family)].flatMap(({ value }): Finding[] => {
      const message = find(value, nowMs / 1000)
      return message === undefined ? [] : [{ subject, severity: 'warn', message, remedy }]
    }),
  )
}
