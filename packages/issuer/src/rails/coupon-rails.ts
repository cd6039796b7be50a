import { formatConfirmAdvice, pickPoints } from '../curve/curve.ts'
import type { Refusal } from '../refusal.ts'
import type { MoveInput, OfferedCurve, RailInput } from './rail-input.ts'

/** Returns a refusal if a coupon is outside the range that the chain is configured for. */
export function findCouponRefusal(
  { chain }: Pick<RailInput, 'chain'>,
  { curve, tenors }: OfferedCurve,
): Refusal | undefined {
  for (const tenor of tenors) {
    const bps = curve.points[tenor] as number
    if (Number.isSafeInteger(bps) && bps >= 1 && bps <= chain.maxCouponBps) continue
    return {
      reason: 'coupon_out_of_range',
      message: `the ${tenor}-day coupon is ${bps} bps, outside 1 to ${chain.maxCouponBps} (maxCouponBps of chain ${chain.id}).`,
    }
  }
  return undefined
}

/**
 * Returns a refusal if a coupon of an unconfirmed curve moves further than the rails allow, since the last period or
 * within a day or a week.
 */
export function findMoveRefusal(
  { previous, maxMoveBps, windows, curveTenors }: MoveInput & Pick<RailInput, 'curveTenors'>,
  { curve, tenors }: OfferedCurve,
): Refusal | undefined {
  if (curve.confirmed) return undefined
  const { chainId } = curve
  // A command without --chain needs the tenors of every chain.
  const points = pickPoints(curve.points, chainId === null ? curveTenors : tenors)
  const checkMove = (move: Omit<Move, 'after'>): Refusal | undefined => {
    const after = curve.points[move.tenor] as number
    if (Math.abs(after - move.before) <= move.maxMoveBps) return undefined
    return {
      reason: 'move_too_large',
      message: `${formatMove({ ...move, after })} ${formatConfirmAdvice(points, chainId)}`,
    }
  }
  for (const tenor of tenors) {
    const before = previous?.notes.find((note) => note.tenorDays === tenor)
    const refusal =
      before && checkMove({ tenor, before: Number(before.coupon), maxMoveBps, rail: 'rails.maxMoveBps', within: '' })
    if (refusal) return refusal
  }
  for (const { coupons, name, ...window } of windows) {
    for (const tenor of tenors) {
      const { lowestBps, highestBps } = coupons.get(tenor) ?? {}
      for (const before of [lowestBps, highestBps]) {
        if (before === undefined) continue
        const refusal = checkMove({ ...window, tenor, before, within: ` within ${name}` })
        if (refusal) return refusal
      }
    }
  }
  return undefined
}

type Move = {
  readonly tenor: number
  readonly before: number
  readonly after: number
  readonly within: string
  readonly maxMoveBps: number
  readonly rail: string
}

function formatMove({ tenor, before, after, within, maxMoveBps, rail }: Move): string {
  const move = after - before
  return (
    `the ${tenor}-day coupon moves from ${before} to ${after} bps (${move > 0 ? '+' : ''}${move})${within}. ` +
    `The limit is ${maxMoveBps} (${rail}).`
  )
}
