import { setTimeout } from 'node:timers/promises'
import { TallystickError } from '@tallystick/core'
import { UnusableSourceError } from './choose-block.ts'
import type { ComparedSource } from './compared-source.ts'

export type Wait = (milliseconds: number) => Promise<unknown>

// Enough for a restart behind a load balancer.
const attemptsMax = 4
const waitMs = 1_000
// For a source that limits requests: several queries wait for the same allowance, which may be that of a minute.
const throttledMsMax = 600_000
const throttledMsEachMax = 60_000

/**
 * Repeats a query that a source fails to answer, up to 4 times, or for up to 10 minutes in all if it limits requests and
 * names the time to wait. Then throws an `UnusableSourceError` with the last failure and the name of the source.
 */
export function askPatiently(source: ComparedSource, wait: Wait = setTimeout): ComparedSource {
  return {
    ...source,
    ask: async (query) => {
      let failures = 0
      let throttledMs = 0
      for (;;) {
        try {
          return await source.ask(query)
        } catch (error) {
          const seconds = error instanceof TallystickError ? error.retryAfterSeconds : undefined
          const askedMs = seconds === undefined ? 0 : Math.min(Math.max(1, seconds) * 1_000, throttledMsEachMax)
          throttledMs += askedMs
          if (seconds === undefined) failures += 1
          if (failures === attemptsMax || throttledMs > throttledMsMax) {
            const reason = error instanceof Error ? error.message : String(error)
            throw new UnusableSourceError(`${source.name} failed: ${reason}`, { cause: error })
          }
          await wait(askedMs || waitMs * 2 ** (failures - 1))
        }
      }
    },
  }
}
