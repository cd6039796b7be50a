export const refusalReasons = [
  'no_curve',
  'no_tenor',
  'curve_stale',
  'coupon_out_of_range',
  'coupon_above_pool_limit',
  'move_too_large',
  'maturity_too_short',
  'maturity_below_pool_limit',
  'clock_behind',
  'clock_ahead',
  'clock_off_chain',
  'clock_unconfirmed',
  'signer_failed',
  'stored_set_invalid',
  'preflight_refused',
  'preflight_unavailable',
  'pool_refuses',
  'pool_limits',
  'earlier_signer',
  'journal_contradicted',
  'journal_failed',
  'log_restored',
  'log_contradicted',
] as const

/** The reason why a period has no notes: `reason` for programs, `message` for operators. */
export type Refusal = { readonly reason: (typeof refusalReasons)[number]; readonly message: string }
