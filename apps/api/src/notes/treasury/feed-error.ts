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
] as const
export type FeedFailure = (typeof feedFailures)[number]

/** The Treasury feed gave nothing a coupon may be made from. The message says why, and goes on show to operators. */
export class TreasuryFeedError extends TallystickError {
  override readonly name = 'TreasuryFeedError'
  readonly failure: FeedFailure

  constructor({ failure, message, cause }: { failure: FeedFailure; message: string; cause?: unknown }) {
    super({ code: 'upstream_failed', message, retryable: true, cause, details: { failure } })
    this.failure = failure
  }
}
