import type { Finding } from '@tallystick/core'

/** Kinds of findings. docs/monitor.md explains each of them. */
export const findingKinds = [
  'checkpoint_invalid',
  'log_forked',
  'checkpoint_went_back',
  'tile_missing',
  'tile_wrong',
  'bundle_wrong',
  'entry_withheld',
  'entry_malformed',
  'entry_unknown',
  'second_set',
  'wrong_period',
  'wrong_terms',
  'wrong_domain',
  'pool_changed',
  'wrong_signer',
  'wrong_signature',
  'wrong_curve',
  'wrong_coupon',
  'lend_not_logged',
] as const

export type FindingKind = (typeof findingKinds)[number]

/** A fault of a log or of its signer. A second finding of the same kind and subject is not reported. */
export type MonitorFinding = Finding & {
  readonly kind: FindingKind
  /** What proves the finding to others. */
  readonly evidence?: Readonly<Record<string, string | number>> | undefined
}

/** Thrown if a log proves a fault and nothing that depends on it can be checked. */
export class LogFaultError extends Error {
  override readonly name = 'LogFaultError' as const
  readonly finding: MonitorFinding

  constructor(finding: Omit<MonitorFinding, 'severity'>) {
    super(finding.message)
    this.finding = { ...finding, severity: 'fail' }
  }
}
