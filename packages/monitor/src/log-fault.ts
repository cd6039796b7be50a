import type { Finding } from './finding.ts'

/** Thrown if a log proves a fault and nothing that depends on it can be checked. */
export class LogFaultError extends Error {
  override readonly name = 'LogFaultError' as const
  readonly finding: Finding

  constructor(finding: Finding) {
    super(finding.message)
    this.finding = finding
  }
}

/** Thrown if a log shows an older checkpoint than before. */
export class StaleCheckpointError extends Error {
  override readonly name = 'StaleCheckpointError' as const
}
