import { within } from './settle-within.ts'

/** Shutdown steps of the service. */
export type Closers = {
  /** Adds a step. `part` names it in the log if it does not end. */
  push(part: string, close: () => unknown): void
  /**
   * Runs the steps in reverse order and returns the parts that failed or did not end in time. The first one that does not
   * end is left a little before the limit, so that there is time for the others. From the limit on, steps are begun but not
   * awaited. Never throws.
   */
  close(limitMs: number): Promise<readonly string[]>
}

// For the steps after one that does not end. Each takes a few milliseconds.
const reservedShare = 0.2

export function createClosers(): Closers {
  const steps: { readonly part: string; readonly close: () => unknown }[] = []
  return {
    push: (part, close) => void steps.push({ part, close }),
    close: async (limitMs) => {
      const endsAtMs = performance.now() + limitMs
      const left: string[] = []
      for (const { part, close } of steps.reverse().splice(0)) {
        const work = (async () => close())().then<string | undefined, string>(
          () => undefined,
          (error) => `${part} (${error instanceof Error ? error.message : String(error)})`,
        )
        const reservedMs = left.length === 0 ? limitMs * reservedShare : 0
        const leftMs = Math.max(0, endsAtMs - reservedMs - performance.now())
        const problem = await within(work, { limitMs: leftMs, onLate: () => part })
        if (problem !== undefined) left.push(problem)
      }
      return left
    },
  }
}
