import { toSeconds } from '../clock.ts'
import type { ClockComparison } from './clock-comparison.ts'
import { earliestSeconds } from './earliest-seconds.ts'

/**
 * Returns the second up to which periods are shown: the local one while the clocks agree about the period, as `/notes` serves
 * it, and otherwise the earlier of the local and the database's.
 */
export function visibleSeconds(time: Pick<ClockComparison, 'agrees' | 'status'>, nowMs: number): bigint {
  return time.agrees(nowMs) ? toSeconds(nowMs) : earliestSeconds(time, nowMs)
}
