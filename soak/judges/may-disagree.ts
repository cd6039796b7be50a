import { periodAt } from '@tallystick/core'
import type { Span } from './ledger.ts'

const marginMs = 1_000

/** Returns whether the replica's clock and the true time were possibly in different periods. */
export function mayDisagree({
  times,
  steps,
}: {
  readonly times: readonly Span[]
  readonly steps: readonly number[]
}): boolean {
  // A measurement from before the clock was set is wrong by the same amount in the other direction.
  const isChanging = steps.length > 1
  const errors = steps.flatMap((stepMs) => (isChanging ? [stepMs, -stepMs] : [stepMs])).filter((ms) => ms !== 0)
  return times.some(({ fromMs, toMs }) =>
    errors.some((errorMs) => {
      const instants = [fromMs, fromMs + errorMs, toMs, toMs + errorMs]
      const periods = instants.flatMap((ms) => [periodStartAt(ms - marginMs), periodStartAt(ms + marginMs)])
      return new Set(periods).size > 1
    }),
  )
}

/** Returns the start of the period at a time, Unix milliseconds. */
export function periodStartAt(ms: number): bigint {
  return periodAt(BigInt(Math.floor(ms / 1000))).start
}
