/**
 * How serious a finding is. `ok`: nothing is wrong. `skipped`: it could not be checked. `warn`: something is wrong, and
 * notes are served. `fail`: notes are missing or will be, or a check from outside failed. `unready`: as `fail`, and
 * this replica must leave the balancer while it lasts (`GET /readyz` is 503).
 */
export type Severity = 'ok' | 'skipped' | 'warn' | 'fail' | 'unready'

/** Whether something is well or wrong. Readiness, status, doctor, console and monitor all report it in this form. */
export type Finding = {
  /** What was checked, such as `pool of chain 324`. */
  readonly subject: string
  readonly severity: Severity
  /** What was found. */
  readonly message: string
  /** What to do. Absent if nothing is wrong. */
  readonly remedy?: string | undefined
}
