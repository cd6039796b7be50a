import { maturityOf } from '@tallystick/core'
import type { Refusal } from '../refusal.ts'
import type { OfferedCurve, RailInput } from './rail-input.ts'

/** Returns a refusal if the pool's present limits reject a note, so that every loan on it would revert. */
export function findPoolLimitRefusal(
  { chain, period, poolLimits }: Pick<RailInput, 'chain' | 'period' | 'poolLimits'>,
  { curve, tenors }: OfferedCurve,
): Refusal | undefined {
  const { maxCouponLimit, minMaturityLimit } = poolLimits ?? {}
  for (const tenor of tenors) {
    const bps = curve.points[tenor] as number
    if (maxCouponLimit !== undefined && BigInt(bps) > maxCouponLimit) {
      return {
        reason: 'coupon_above_pool_limit',
        message:
          `the ${tenor}-day coupon is ${bps} bps, but the pool of chain ${chain.id} accepts at most ${maxCouponLimit} now. ` +
          `Set lower coupons with \`tallystick curve set … --chain ${chain.id}\`, or raise the limit with setMaxCouponLimit.`,
      }
    }
    const remaining = maturityOf({ noteDay: period.noteDay, tenorDays: tenor }) - period.end
    if (minMaturityLimit !== undefined && remaining < minMaturityLimit) {
      return {
        reason: 'maturity_below_pool_limit',
        message:
          `the ${tenor}-day note matures ${remaining} s after the period ends, but the pool of chain ${chain.id} requires ` +
          `${minMaturityLimit} s now. Set a curve without it with \`tallystick curve set … --chain ${chain.id}\`, or lower ` +
          'the limit with setMinMaturityLimit.',
      }
    }
  }
  return undefined
}
