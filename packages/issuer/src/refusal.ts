import type { Finding } from '@tallystick/core'

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
  'pool_signer',
  'pool_paused',
  'pool_wiring',
  'earlier_signer',
  'journal_contradicted',
  'journal_failed',
  'protection_contradicted',
  'protection_failed',
  'log_restored',
  'log_contradicted',
] as const

/** Why a period has no notes: `reason` for programs, `message` for operators. Its chain and period are the subject. */
export type Refusal = Pick<Finding, 'message'> & { readonly reason: (typeof refusalReasons)[number] }
