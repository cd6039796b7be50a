/** Bounds of an exponential backoff, in milliseconds. */
export type BackoffOptions = {
  /** The delay after the first failure. */
  readonly minMs: number
  readonly maxMs: number
  /** Returns a number from 0 up to, but not including, 1. Half of the delay is then random. */
  readonly random?: (() => number) | undefined
}

/**
 * Returns the delay before the next attempt: `minMs` after the first failure, doubled with each further one, at most
 * `maxMs`. With `random` it is between half of that and all of it, so that clients that failed together do not retry
 * together.
 *
 * @param failures Failures in a row before the one just now: 0 the first time.
 * @example
 * backoffMs(0, { minMs: 500, maxMs: 8_000 }) // 500
 * backoffMs(3, { minMs: 500, maxMs: 8_000 }) // 4000
 * backoffMs(9, { minMs: 500, maxMs: 8_000 }) // 8000
 */
export function backoffMs(failures: number, { minMs, maxMs, random }: BackoffOptions): number {
  const wholeMs = Math.min(minMs * 2 ** failures, maxMs)
  return random ? wholeMs / 2 + (random() * wholeMs) / 2 : wholeMs
}
