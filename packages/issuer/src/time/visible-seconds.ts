import { toSeconds } from '@tallystick/base'
import { periodAt } from '@tallystick/core'
import type { ClockComparison } from './clock-comparison.ts'

/** Returns the second up to which periods are shown. */
export type VisibleSeconds = (nowMs: number) => bigint

/**
 * Creates a function that returns the local second while the clocks agree about the period, as `/notes` serves it. While
 * they disagree, the earliest clock decides. If one of them is not known then, nothing newer than the period about which
 * they agreed last is shown.
 */
export function createVisibleSeconds(clocks: Pick<ClockComparison, 'agrees' | 'earliest'>): VisibleSeconds {
  let agreedSeconds: bigint | undefined
  return (nowMs) => {
    if (clocks.agrees(nowMs)) {
      agreedSeconds = toSeconds(nowMs)
      return agreedSeconds
    }
    const { earliestMs, isComplete } = clocks.earliest(nowMs)
    const earliestSeconds = toSeconds(Math.max(0, earliestMs))
    if (isComplete) return earliestSeconds
    const lastSeconds = agreedSeconds === undefined ? 0n : periodAt(agreedSeconds).end - 1n
    return earliestSeconds < lastSeconds ? earliestSeconds : lastSeconds
  }
}
