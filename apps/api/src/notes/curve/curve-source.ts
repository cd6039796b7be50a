import type { Period } from '@tallystick/core'

/** Where curves come from, beside the operator. */
export type CurveSource = {
  /** Resolves once a try was made to have the newest curve for a period. Never throws: what is in force may still do. */
  prepare(period: Period): Promise<void>
  /** Why the last try gave no newer curve, for people; undefined if it did. */
  problem(): string | undefined
  stop(): Promise<void>
}

/** Curves are set by a person; there is nothing to fetch. */
export const manualCurveSource: CurveSource = {
  prepare: async () => undefined,
  problem: () => undefined,
  stop: async () => undefined,
}
