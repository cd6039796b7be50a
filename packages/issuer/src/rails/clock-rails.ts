import { formatNewYork } from '@tallystick/core'
import type { Curve } from '../curve/curve.ts'
import type { Refusal } from '../refusal.ts'
import { chainAheadToleranceSeconds, chainBehindToleranceSeconds } from '../time/chain-clock.ts'
import type { RailInput } from './rail-input.ts'

// Replicas' clocks kept by NTP differ by less than this. A larger difference means that a clock was set back.
const clockBehindToleranceSeconds = 60n
// Covers the uncertainty of the estimated database time and its rounding to whole seconds.
const databaseToleranceSeconds = 1n
// Notes are issued every day. A gap of a week is a long outage or a wrong clock, and an operator has to decide which.
const gapMaxSeconds = 7n * 86_400n

/** Returns a refusal if the local clock cannot be trusted for this period. */
export function findClockRefusal(input: RailInput, curve: Curve): Refusal | undefined {
  const { nowSeconds, period, chainTimeSeconds, time } = input
  const refusal = findDatabaseTimeRefusal(input)
  if (refusal) return refusal
  const isConfirmed = time.confirmation === 'confirmed'
  // If a second clock confirms the time, a set issued later than now was signed with a wrong clock and is ignored.
  const latest = isConfirmed ? input.previous : input.latest
  if (!isConfirmed && latest && nowSeconds + clockBehindToleranceSeconds < latest.issuedAt) {
    return {
      reason: 'clock_behind',
      message:
        `the clock says ${formatNewYork(nowSeconds)} New York, but notes were signed at ` +
        `${formatNewYork(latest.issuedAt)}. Correct the clock.`,
    }
  }
  if (latest && period.start - latest.period.end > gapMaxSeconds && nowSeconds - curve.createdAt > gapMaxSeconds) {
    return {
      reason: 'clock_ahead',
      message:
        `the last period with notes ended ${formatNewYork(latest.period.end)} New York, more than 7 days before this ` +
        'one. If the clock is right, confirm that by setting the curve again with `tallystick curve set`.',
    }
  }
  const chainRefusal = chainTimeSeconds === undefined ? undefined : findChainTimeRefusal(input, chainTimeSeconds)
  return chainRefusal ?? findContradiction(input)
}

/** Returns a refusal if the blocks seen so far contradict the only clock, also while no RPC answers. */
function findContradiction({ time }: RailInput): Refusal | undefined {
  // The database's clock, where it has one of its own, was compared with the period.
  if (time.confirmation !== 'contradicted' || time.databaseSeconds !== undefined) return undefined
  return {
    reason: 'clock_off_chain',
    message:
      'the blocks of a chain contradict the local clock. Correct the clock, or fix the RPC if its time is wrong. ' +
      '`tallystick doctor` compares them.',
  }
}

/** Returns a refusal if the database's clock does not allow the period, or if no second clock can be read. */
function findDatabaseTimeRefusal({ time, nowSeconds, period, signAheadSeconds }: RailInput): Refusal | undefined {
  const { databaseSeconds, confirmation } = time
  if (confirmation === 'unconfirmed') {
    return {
      reason: 'clock_unconfirmed',
      message:
        'no second clock confirms the time: neither the database’s clock nor a chain’s was readable since the start. ' +
        'Fix the RPC, or remove "rpc" from the configuration to sign by the local clock alone.',
    }
  }
  if (databaseSeconds === undefined) return undefined
  // Rounded to 10 s without a time of day, so that the message stays the same and is logged once.
  const lead = Math.round(Number(nowSeconds - databaseSeconds) / 10) * 10
  const clocks =
    `the local clock is ${lead < 0 ? `${-lead} s behind` : `${lead} s ahead of`} it. ` +
    'Correct the wrong clock. `tallystick doctor` compares them.'
  if (period.start > databaseSeconds + BigInt(signAheadSeconds) + databaseToleranceSeconds) {
    const message = `by the database's clock this period is too far ahead to be signed, and ${clocks}`
    return { reason: 'clock_ahead', message }
  }
  if (period.end + databaseToleranceSeconds <= databaseSeconds) {
    return { reason: 'clock_behind', message: `by the database's clock this period has ended, and ${clocks}` }
  }
  return undefined
}

function findChainTimeRefusal({ chain, nowSeconds }: RailInput, chainTime: bigint): Refusal | undefined {
  const lag = nowSeconds - chainTime
  if (-lag <= chainAheadToleranceSeconds && lag <= chainBehindToleranceSeconds) return undefined
  return {
    reason: 'clock_off_chain',
    message:
      `the clock is ${lag < 0n ? `${-lag} s behind` : `${lag} s ahead of`} the newest block of chain ${chain.id}. ` +
      'Correct the clock, or fix the RPC if its time is wrong.',
  }
}
