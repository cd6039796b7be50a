import type { Connection } from './connection.ts'
import { retryDelayMs } from './retry-delay.ts'
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
