import { maturityOf } from '@tallystick/core'
import type { ChainCheckContext } from './chain-check-context.ts'

/** Returns the least time between the end of a period and the maturity of its shortest note. */
export function leastSecondsToMaturity({ tenors, periods }: Pick<ChainCheckContext, 'tenors' | 'periods'>): bigint {
  const [shortest = 0] = tenors
  return periods
    .map(({ noteDay, end }) => maturityOf({ noteDay, tenorDays: shortest }) - end)
    .reduce((a, b) => (a < b ? a : b))
}
