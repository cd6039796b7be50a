import type { Period } from '@tallystick/core'

/** An automatic source of curves. */
export type CurveSource = {
  /** Tries once to store the newest curve for a period. Never throws: the curve in force may still be usable. */
  prepare(period: Period): Promise<void>
  /** Returns why the last attempt failed, or undefined if it succeeded. */
  problem(): string | undefined
  stop(): Promise<void>
}

/** Fetches nothing: the operator sets every curve. */
export const manualCurveSource: CurveSource = {
  prepare: async () => undefined,
  problem: () => undefined,
  stop: async () => undefined,
}
