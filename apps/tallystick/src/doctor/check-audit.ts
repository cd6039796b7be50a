import type { AuditCheck } from '@tallystick/keys'
import type { Findings } from '@tallystick/service'

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
