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

/** The Treasury feed gave nothing a coupon may be made from. The message says why, and goes on show to operators. */
export class TreasuryFeedError extends TallystickError {
  override readonly name = 'TreasuryFeedError'
  readonly failure: FeedFailure
  /** Terms in weeks of bills that the newest row should have and has not; undefined if it was not seen. */
  readonly vanishedBills: readonly number[] | undefined

  constructor({ failure, message, vanishedBills, cause }: FeedErrorOptions) {
    super({ code: 'upstream_failed', message, retryable: true, cause, details: { failure } })
    this.failure = failure
    this.vanishedBills = vanishedBills
  }
}
