import { TallystickError } from '@tallystick/core/error/tallystick-error'
import type { ComparedSource } from './compared-source.ts'

export type Wait = (milliseconds: number) => Promise<void>

// Enough for a restart behind a load balancer, or for the limit of a minute.
const attemptsMax = 4
const waitMs = 1_000
const waitMsMax = 60_000

/**
 * Repeats a query that a source fails to answer, after the time that it asks for. Throws the last failure with the name of
 * the source.
 */
export function askPatiently(source: ComparedSource, wait: Wait = waitReally): ComparedSource {
  return {
    ...source,
    ask: async (query) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await source.ask(query)
        } catch (error) {
          if (attempt === attemptsMax) throw new SourceFailedError(source.name, error)
          const asked = error instanceof TallystickError ? error.retryAfterSeconds : undefined
          await wait(asked === undefined ? waitMs * 2 ** (attempt - 1) : Math.min(asked * 1_000, waitMsMax))
        }
      }
    },
  }
}

function waitReally(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}

/** Thrown if a source does not answer a query after several attempts. */
export class SourceFailedError extends Error {
  override readonly name = 'SourceFailedError' as const

  constructor(source: string, cause: unknown) {
    super(`${source} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
