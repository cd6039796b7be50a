import { countBusinessDays, formatNewYork, maturityOf, newYorkDate, type Period } from '@tallystick/core'
import type { ChainConfig } from '../../config.ts'
import type { ClockStatus } from '../../time/clock-comparison.ts'
import type { Curve } from '../curve/curve.ts'
import type { MoveWindow } from '../curve/move-windows.ts'
import type { NoteSet } from '../note-set.ts'

export const refusalReasons = [
  'no_curve',
  'no_tenor',
  'curve_stale',
  'coupon_out_of_range',
  'move_too_large',
  'maturity_too_short',
  'clock_behind',
  'clock_ahead',
  'clock_off_chain',
  'clock_unconfirmed',
  'signer_failed',
  'stored_set_invalid',
  'preflight_refused',
  'preflight_unavailable',
  'pool_refuses',
  'earlier_signer',
  'journal_contradicted',
  'journal_failed',
] as const

/** Why a period's notes are not there: `reason` for programs, `message` says what to do. */
export type Refusal = { readonly reason: (typeof refusalReasons)[number]; readonly message: string }

export type RailInput = {
  readonly chain: Pick<ChainConfig, 'id' | 'maxCouponBps' | 'minMaturitySeconds'>
  readonly period: Period
  readonly tenors: readonly number[]
  readonly maxMoveBps: number
  /** The coupons of the day and the week before; none are judged if left out. */
  readonly windows?: readonly MoveWindow[] | undefined
  /** How old a curve that comes from published rates may be, New York business days. */
  readonly maxAgeBusinessDays: number
  readonly curve: Curve | undefined
  /** Why the source of curves gave no newer one, if it has one and did not. */
  readonly sourceProblem?: string | undefined
  /** The last period's set, before this period. */
  readonly previous: NoteSet | undefined
  /** The set signed last of all, whatever its period. */
  readonly latest: NoteSet | undefined
  readonly nowSeconds: bigint
  /** Newest block time known, where an RPC is configured and answers. */
  readonly chainTimeSeconds: bigint | undefined
  /** What the other clocks say of `nowSeconds`. */
  readonly time: ClockStatus
  readonly signAheadSeconds: number
}

// Replicas' clocks differ by this much at most when they are kept by NTP; more is a clock that was set back.
const clockBehindToleranceSeconds = 60n
// The estimate of the database's clock and its whole seconds; the clocks of both sides run at the same speed.
const databaseToleranceSeconds = 1n
// No protocol day goes by without notes: a gap of a week is a long outage or a wrong clock, and a person has to say which.
const gapMaxSeconds = 7n * 86_400n
export const chainAheadToleranceSeconds = 60n
// Chains without traffic seal blocks late, and nodes lag; a quarter of an hour is neither.
export const chainBehindToleranceSeconds = 900n

/** What keeps a set from being signed, or undefined if nothing does. Pure: everything it judges by is in its input. */
export function findRefusal(input: RailInput): Refusal | undefined {
  const { curve } = input
  if (!curve) {
    return refuse(
      'no_curve',
      `no curve is in force. ${formatProblem(input)}Set one with \`${curveSetExample(input.tenors)}\`.`,
    )
  }
  const tenors = offeredTenors(input.tenors, curve)
  if (tenors.length === 0) {
    return refuse('no_tenor', `the curve in force has none of the tenors ${input.tenors.join(', ')}. Set a new one.`)
  }
  return (
    findClockRefusal(input, curve) ??
    findAgeRefusal(input, curve) ??
    findCouponRefusal(input, { curve, tenors }) ??
    findMoveRefusal(input, { curve, tenors }) ??
    findMaturityRefusal(input, tenors)
  )
}

/** The tenors that are configured and in the curve: a tenor added to the configuration waits for a curve that has it. */
export function offeredTenors(tenors: readonly number[], curve: Curve): number[] {
  return tenors.filter((tenor) => curve.points[tenor] !== undefined)
}

/** A refusal if a coupon is one the pool would not take. */
export function findCouponRefusal(
  { chain }: Pick<RailInput, 'chain'>,
  { curve, tenors }: { readonly curve: Pick<Curve, 'points'>; readonly tenors: readonly number[] },
): Refusal | undefined {
  for (const tenor of tenors) {
    const bps = curve.points[tenor] as number
    if (Number.isSafeInteger(bps) && bps >= 1 && bps <= chain.maxCouponBps) continue
    return refuse(
      'coupon_out_of_range',
      `the coupon of ${tenor} days is ${bps} bps, outside 1 to ${chain.maxCouponBps} (maxCouponBps of chain ${chain.id}).`,
    )
  }
  return undefined
}

/** A refusal if a coupon moved further since the last period, or within a day or a week, than a person let it. */
export function findMoveRefusal(
  { previous, maxMoveBps, windows = [] }: Pick<RailInput, 'previous' | 'maxMoveBps' | 'windows'>,
  { curve, tenors }: { readonly curve: Pick<Curve, 'points' | 'confirmed'>; readonly tenors: readonly number[] },
): Refusal | undefined {
  if (curve.confirmed) return undefined
  const judge = (move: Omit<Move, 'after'>) => {
    const after = curve.points[move.tenor] as number
    if (Math.abs(after - move.before) <= move.maxMoveBps) return undefined
    return refuse(
      'move_too_large',
      `${formatMove({ ...move, after })} ${formatConfirmation({ points: pick(curve.points, tenors) })}`,
    )
  }
  for (const tenor of tenors) {
    const before = previous?.notes.find((note) => note.tenorDays === tenor)
    const last =
      before && judge({ tenor, before: Number(before.coupon), maxMoveBps, rail: 'rails.maxMoveBps', within: '' })
    if (last) return last
  }
  for (const { coupons, name, ...window } of windows) {
    for (const tenor of tenors) {
      const { lowestBps, highestBps } = coupons.get(tenor) ?? {}
      for (const before of [lowestBps, highestBps]) {
        const moved = before !== undefined && judge({ ...window, tenor, before, within: ` within ${name}` })
        if (moved) return moved
      }
    }
  }
  return undefined
}

function pick(points: Curve['points'], tenors: readonly number[]): Curve['points'] {
  return Object.fromEntries(tenors.map((tenor) => [tenor, points[tenor] as number]))
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
    `the coupon of ${tenor} days moves from ${before} to ${after} bps (${move > 0 ? '+' : ''}${move})${within}, ` +
    `the rail allows ${maxMoveBps} (${rail}).`
  )
}

/** Says by which command a person accepts a curve as it is. */
export function formatConfirmation({ points }: Pick<Curve, 'points'>): string {
  const sorted = Object.entries(points).map(([tenor, bps]) => [Number(tenor), bps] as const)
  const command = curveSetCommand(sorted.sort(([a], [b]) => a - b))
  return `If that is meant, say so: \`${command} --confirm\`.`
}

/** PublishedNotes rates get old; a curve that a person set is in force until it is replaced. */
function findAgeRefusal(input: RailInput, { provenance }: Curve): Refusal | undefined {
  if (!provenance) return undefined
  const day = newYorkDate(input.period.start)
  const age = countBusinessDays({ after: provenance.sourceDate, upTo: day })
  if (age <= input.maxAgeBusinessDays) return undefined
  return refuse(
    'curve_stale',
    `the rates in force are of ${provenance.sourceDate}, ${age} business days old on ${day}, ` +
      `the limit is ${input.maxAgeBusinessDays} (curve.maxAgeBusinessDays). ${formatProblem(input)}` +
      `Set a curve with \`${curveSetExample(input.tenors)}\`.`,
  )
}

function findMaturityRefusal({ chain, period }: RailInput, tenors: readonly number[]): Refusal | undefined {
  for (const tenorDays of tenors) {
    const maturity = maturityOf({ noteDay: period.noteDay, tenorDays })
    const remaining = maturity - period.end
    if (remaining >= BigInt(chain.minMaturitySeconds)) continue
    return refuse(
      'maturity_too_short',
      `a note of ${tenorDays} days matures ${remaining} s after the period ends, the pool wants ${chain.minMaturitySeconds} ` +
        `(minMaturitySeconds of chain ${chain.id}). Take ${tenorDays} out of "tenors".`,
    )
  }
  return undefined
}

function findClockRefusal(input: RailInput, curve: Curve): Refusal | undefined {
  const { nowSeconds, period, chainTimeSeconds, time } = input
  const refusal = findDatabaseTimeRefusal(input)
  if (refusal) return refusal
  const isConfirmed = time.confirmation === 'confirmed'
  // With a second clock that says the same, a set signed later than now is the work of a wrong clock: it is passed over.
  const latest = isConfirmed ? input.previous : input.latest
  if (!isConfirmed && latest && nowSeconds + clockBehindToleranceSeconds < latest.issuedAt) {
    return refuse(
      'clock_behind',
      `the clock says ${formatNewYork(nowSeconds)} New York, but notes were signed at ${formatNewYork(latest.issuedAt)}. ` +
        'Set the clock right.',
    )
  }
  if (latest && period.start - latest.period.end > gapMaxSeconds && nowSeconds - curve.createdAt > gapMaxSeconds) {
    return refuse(
      'clock_ahead',
      `the last period with notes ended ${formatNewYork(latest.period.end)} New York, more than a week before this one. ` +
        'If the clock is right, say so by setting the curve again with `tallystick curve set`.',
    )
  }
  return chainTimeSeconds === undefined ? undefined : findChainTimeRefusal(input, chainTimeSeconds)
}

/** A refusal if the database's clock does not allow the period, or if there should be a second clock and none answers. */
function findDatabaseTimeRefusal({ time, nowSeconds, period, signAheadSeconds }: RailInput): Refusal | undefined {
  const { databaseSeconds, confirmation } = time
  if (confirmation === 'unconfirmed') {
    return refuse(
      'clock_unconfirmed',
      'no second clock confirms the time: neither the database’s clock nor a chain’s could be read since the start. ' +
        'Fix the RPC, or remove "rpc" from the configuration to sign by one clock alone.',
    )
  }
  if (databaseSeconds === undefined) return undefined
  // Neither the time of day nor the last second is in it: the same refusal is said once, not every few seconds.
  const lead = Math.round(Number(nowSeconds - databaseSeconds) / 10) * 10
  const clocks =
    `the local clock is ${lead < 0 ? `${-lead} s behind` : `${lead} s ahead of`} it. ` +
    'Correct the wrong one. `tallystick doctor` compares them.'
  if (period.start > databaseSeconds + BigInt(signAheadSeconds) + databaseToleranceSeconds) {
    return refuse('clock_ahead', `by the database's clock this period is too far ahead to be signed, and ${clocks}`)
  }
  if (period.end + databaseToleranceSeconds <= databaseSeconds) {
    return refuse('clock_behind', `by the database's clock this period is over, and ${clocks}`)
  }
  return undefined
}

function findChainTimeRefusal({ chain, nowSeconds }: RailInput, chainTime: bigint): Refusal | undefined {
  const lag = nowSeconds - chainTime
  if (-lag <= chainAheadToleranceSeconds && lag <= chainBehindToleranceSeconds) return undefined
  return refuse(
    'clock_off_chain',
    `the clock is ${lag < 0n ? `${-lag} s behind` : `${lag} s ahead of`} the newest block of chain ${chain.id}. ` +
      'Set the clock right, or mend the RPC if it is the one that is wrong.',
  )
}

function formatProblem({ sourceProblem }: RailInput): string {
  return sourceProblem ? `${sourceProblem} ` : ''
}

function curveSetExample(tenors: readonly number[]): string {
  return curveSetCommand(tenors.map((tenor) => [tenor, '<bps>']))
}

function curveSetCommand(points: readonly (readonly [tenor: number, bps: unknown])[]): string {
  return `tallystick curve set ${points.map(([tenor, bps]) => `${tenor}=${bps}`).join(' ')}`
}

function refuse(reason: Refusal['reason'], message: string): Refusal {
  return { reason, message }
}
