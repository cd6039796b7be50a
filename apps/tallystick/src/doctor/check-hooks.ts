import type { Findings, IssueReports } from '@tallystick/service'

/** Warns about webhooks that were switched off or fail. Says nothing if there are none. */
export function checkHooks(findings: Findings, reports: Pick<IssueReports, 'hooks'> | undefined): void {
  const hooks = reports?.hooks?.hooks ?? []
  const isWell = hooks.filter(({ status }) => status === 'active').length
  if (isWell > 0) findings.ok('active', `${isWell} of ${hooks.length} hooks without failures`)
  for (const { id, status, disabledAt, disabledReason, attempts, failingSince, lastError, waiting } of hooks) {
    if (status === 'disabled') {
      const advice = `Repair the receiver, check it with \`tallystick hooks test ${id}\`, then run \`tallystick hooks enable ${id}\`.`
      findings.warn(id, `switched off at ${disabledAt}: ${disabledReason}; events waiting: ${waiting}`, advice)
    } else if (status === 'failing') {
      const advice = `The service retries. Ask the receiver’s operator, or run \`tallystick hooks test ${id}\`.`
      findings.warn(
        id,
        `${attempts} failed attempts since ${failingSince}: ${lastError}; events waiting: ${waiting}`,
        advice,
      )
    }
  }
}
