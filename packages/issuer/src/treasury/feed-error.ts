import { TallystickError } from '@tallystick/core'

export const feedFailures = [
  'timeout',
  'unreachable',
  'status',
  'redirected',
  'too_large',
  'malformed',
  'wrong_shape',
  'empty',
  'conflict',
  'implausible',
  'incomplete',
  'stale',
  'revised',
  'off_sofr',
  'clock_disputed',
] as const
export type FeedFailure = (typeof feedFailures)[number]

type FeedErrorOptions = {
  readonly failure: FeedFailure
  readonly message: string
  readonly vanishedBills?: readonly number[]
  readonly cause?: unknown
}

/** Thrown if the Treasury feed has no usable rates. Operators see the message. */
export class TreasuryFeedError extends TallystickError {
  override readonly name = 'TreasuryFeedError'
  readonly failure: FeedFailure
  /** Terms in weeks of bills that the newest row lacks; undefined if no row was read. */
  readonly vanishedBills: readonly number[] | undefined

  constructor({ failure, message, vanishedBills, cause }: FeedErrorOptions) {
    super({ code: 'upstream_failed', message, retryable: true, cause, details: { failure } })
    this.failure = failure
    this.vanishedBills = vanishedBills
  }
}
