import { toSeconds } from '@tallystick/base'
import type { ClockComparison } from './clock-comparison.ts'

/** Returns the earlier of the local and the database's time. Nothing happens before both have reached its second. */
export function earliestSeconds(clocks: Pick<ClockComparison, 'status'>, nowMs: number): bigint {
  const nowSeconds = toSeconds(nowMs)
  const { databaseSeconds = nowSeconds } = clocks.status(nowMs)
  return databaseSeconds < nowSeconds ? databaseSeconds : nowSeconds
}
