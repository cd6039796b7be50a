import { countBusinessDays, maturityOf, newYorkDate } from '@tallystick/core'
import { type Curve, formatCurveSetExample } from '../curve/curve.ts'
import type { Refusal } from '../refusal.ts'
import { findClockRefusal } from './clock-rails.ts'
import { findCouponRefusal, findMoveRefusal } from './coupon-rails.ts'
import { findPoolLimitRefusal } from './pool-rails.ts'
import type { RailInput } from './rail-input.ts'

/** Returns why a set must not be signed, or undefined if it passes every rail. Pure. */
export function findRefusal(input: RailInput): Refusal | undefined {
  const { curve } = input
  if (!curve) {
    return {
      reason: 'no_curve',
      message: `no curve is in force. ${formatProblem(input)}Set one with \`${formatCurveSetExample(input.curveTenors)}\`.`,
    }
  }
  const tenors = offeredTenors(input.tenors, curve)
  if (tenors.length === 0) {
    const message = `the curve in force has none of the configured tenors (${input.tenors.join(', ')}). Set a new one.`
    return { reason: 'no_tenor', message }
  }
  return (
    findClockRefusal(input, curve) ??
    findAgeRefusal(input, curve) ??
    findCouponRefusal(input, { curve, tenors }) ??
    findMoveRefusal(input, { curve, tenors }) ??
    findMaturityRefusal(input, tenors) ??
    findPoolLimitRefusal(input, { curve, tenors })
  )
}

/** Returns the chain's tenors for which the curve has a coupon. A newly configured tenor needs a new curve. */
export function offeredTenors(tenors: readonly number[], curve: Pick<Curve, 'points'>): number[] {
  return tenors.filter((tenor) => curve.points[tenor] !== undefined)
}

/** Checks the age of published rates. A curve set by an operator does not expire. */
function findAgeRefusal(input: RailInput, { provenance }: Curve): Refusal | undefined {
  if (!provenance) return undefined
  const day = newYorkDate(input.period.start)
  const age = countBusinessDays({ after: provenance.sourceDate, upTo: day })
  if (age <= input.maxAgeBusinessDays) return undefined
  return {
    reason: 'curve_stale',
    message:
      `the rates in force are of ${provenance.sourceDate}, ${age} business days old on ${day}. ` +
      `The limit is ${input.maxAgeBusinessDays} (curve.maxAgeBusinessDays). ${formatProblem(input)}` +
      `Set a curve with \`${formatCurveSetExample(input.curveTenors)}\`.`,
  }
}

function findMaturityRefusal({ chain, period }: RailInput, tenors: readonly number[]): Refusal | undefined {
  for (const tenorDays of tenors) {
    const maturity = maturityOf({ noteDay: period.noteDay, tenorDays })
    const remaining = maturity - period.end
    if (remaining >= BigInt(chain.minMaturitySeconds)) continue
    return {
      reason: 'maturity_too_short',
      message:
        `the ${tenorDays}-day note matures ${remaining} s after the period ends. The pool requires ` +
        `${chain.minMaturitySeconds} s (minMaturitySeconds of chain ${chain.id}). Remove ${tenorDays} from "tenors".`,
    }
  }
  return undefined
}

function formatProblem({ sourceProblem }: RailInput): string {
  return sourceProblem ? `${sourceProblem} ` : ''
}
