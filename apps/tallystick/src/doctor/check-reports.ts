import { countOf } from '@tallystick/base/pure'
import type { AuditCheck } from '@tallystick/keys'
import { adviseOnCurve, checkNotes, type IssueReports } from '@tallystick/service'
import type { Findings } from './findings.ts'

type OfferCheckContext = Omit<Parameters<typeof checkNotes>[0], 'reports'> & {
  /** Undefined if neither a service nor a database answered. */
  readonly reports: IssueReports | undefined
  /** Whether the database has no data. */
  readonly isEmpty: boolean
}

/** Checks that each chain has notes, or at least a curve. */
export function checkOffer(
  findings: Findings,
  { config, reports, isRunning, isEmpty, signers, readiness }: OfferCheckContext,
): void {
  if (reports) findings.add(checkNotes({ config, reports, isRunning, signers, readiness }))
  else if (isRunning) findings.fail('notes', 'the service does not report its notes', 'Check its log.')
  else if (isEmpty && config.curve.source === 'manual') {
    findings.fail('curve', 'no curve was ever set', adviseOnCurve(config))
  } else findings.skip('notes', 'curve and notes could not be read')
}

/** Reports rows of the audit that were changed or deleted. `unread` says why there is no report. */
export function checkAudit(
  findings: Findings,
  { report, unread }: { readonly report: AuditCheck | undefined; readonly unread: string },
): void {
  if (!report) {
    findings.skip('rows', unread)
    return
  }
  const { rows, faults } = report
  const advice =
    'Find out who changed the database. If a backup was restored, the rows after it are lost: record that, and remove audit-head.json.'
  for (const fault of faults) findings.fail('rows', fault, advice)
  if (faults.length === 0)
    findings.ok('rows', `${rows} ${rows === 1 ? 'row matches its hash' : 'rows match their hashes'}`)
}

/** Warns about webhooks that were switched off or fail. Says nothing if there are none. */
export function checkHooks(findings: Findings, reports: Pick<IssueReports, 'hooks'> | undefined): void {
  const hooks = reports?.hooks?.hooks ?? []
  const isWell = hooks.filter(({ status }) => status === 'active').length
  if (isWell > 0) findings.ok('active', `${isWell} of ${countOf(hooks.length, 'hook')} without failures`)
  for (const { id, status, disabledAt, disabledReason, attempts, failingSince, lastError, waiting } of hooks) {
    if (status === 'disabled') {
      const advice = `Repair the receiver, check it with \`tallystick hooks test ${id}\`, then run \`tallystick hooks enable ${id}\`.`
      findings.warn(id, `switched off at ${disabledAt}: ${disabledReason}; events waiting: ${waiting}`, advice)
    } else if (status === 'failing') {
      const advice = `The service retries. Ask the receiver’s operator, or run \`tallystick hooks test ${id}\`.`
      const found = `${countOf(attempts, 'failed attempt')} since ${failingSince}: ${lastError}; events waiting: ${waiting}`
      findings.warn(id, found, advice)
    }
  }
}
