import { backoffMs } from '@tallystick/base/pure'
import { ClientError } from '../client-error.ts'

const backoff = { minMs: 500, maxMs: 8_000 }
// A longer wait is reported as an error instead.
const retryAfterSecondsMax = 30

/**
 * Returns the retry delay in ms, or undefined if the request must not be retried. It is at least the service's Retry-After,
 * otherwise an exponential backoff with jitter.
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
