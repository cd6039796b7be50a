import { backoffMs } from '@tallystick/base/pure'
import { ClientError } from '../client-error.ts'
import type { Connection } from './connection.ts'
import { pause, withDeadline } from './with-deadline.ts'

export type Attempts<T> = {
  readonly signal?: AbortSignal | undefined
  /** Overrides the connection's. */
  readonly retries?: number | undefined
  readonly run: (signal: AbortSignal) => Promise<T>
}

/** Runs attempts, each with the connection's timeout, until one succeeds or must not be retried. */
export async function withRetries<T>(connection: Connection, { signal, retries, run }: Attempts<T>): Promise<T> {
  const { clock, random } = connection.environment
  const signals = [connection.signal, signal].filter((one) => one !== undefined)
  for (let tries = 0; ; tries++) {
    try {
      return await withDeadline(clock, { timeoutMs: connection.timeoutMs, signals, run })
    } catch (error) {
      const mayRetry = tries < (retries ?? connection.retries)
      const delayMs = mayRetry ? retryDelayMs(error, { tries, random }) : undefined
      if (delayMs === undefined) throw error
      await pause(clock, { delayMs, signals })
    }
  }
}

const backoff = { minMs: 500, maxMs: 8_000 }
// A longer wait is reported as an error instead.
const retryAfterSecondsMax = 30

/**
 * Returns the retry delay in ms, or undefined if the request must not be retried. It is at least the service's Retry-After,
 * otherwise an exponential backoff with jitter.
 */
function retryDelayMs(
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
