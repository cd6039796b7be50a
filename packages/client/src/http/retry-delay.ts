import { backoffMs } from '@tallystick/core/retry/backoff-ms'
import { ClientError } from '../errors.ts'

const backoff = { minMs: 500, maxMs: 8_000 }
// Whoever waits for an answer is better told than held up for longer than this.
const retryAfterSecondsMax = 30

/**
 * How long to wait before a failed request is sent again, or undefined if it is not to be. At least as long as the
 * service asked for; otherwise twice as long each time, with up to half of it left to chance, so that those who failed
 * together do not come back together.
 */
export function retryDelayMs(
  error: unknown,
  { tries, random }: { readonly tries: number; readonly random: () => number },
): number | undefined {
  if (!(error instanceof ClientError) || !error.retryable) return undefined
  const { retryAfterSeconds = 0 } = error
  if (retryAfterSeconds > retryAfterSecondsMax) return undefined
  return retryAfterSeconds > 0
    ? retryAfterSeconds * 1000 + random() * backoff.minMs
    : backoffMs(tries, { ...backoff, random })
}
