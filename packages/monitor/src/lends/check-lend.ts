import type { Lend } from '@tallystick/chain'
import { formatPeriod, periodAt } from '@tallystick/core'
import { formatUnits } from 'viem'
import { isSame } from '../entries/check-notes.ts'
import type { MonitorFinding } from '../finding.ts'
import type { LoggedSet } from '../monitor-state.ts'

export type LendContext = {
  readonly chainId: number
  /** The sets that the log has for the period of the lend's block. */
  readonly sets: readonly LoggedSet[]
  /** Whether the log may have a set for that period that cannot be read yet. */
  readonly isSetPending: boolean
  /** Start of the first period for which the log has a set of the chain, Unix seconds. Null if it has none. */
  readonly firstPeriod: string | null
}

/** Returns a finding if the log does not have the note of a lend, or `undecided` if that cannot be known yet. */
export function checkLend(lend: Lend, context: LendContext): MonitorFinding | 'undecided' | undefined {
  const { chainId, sets, isSetPending } = context
  const { pool, maturityTimestamp, coupon } = lend
  const isLogged = sets.some(
    (set) => isSame(set.pool, pool) && set.coupons[maturityTimestamp.toString()] === coupon.toString(),
  )
  if (isLogged) return undefined
  if (sets.length === 0 && isSetPending) return 'undecided'
  const { transactionHash, logIndex, block, timestamp } = lend
  const period = formatPeriod(periodAt(BigInt(timestamp)))
  const logged = describeSets(sets)
  return {
    kind: 'lend_not_logged',
    severity: 'fail',
    subject: `${chainId}:${transactionHash}:${logIndex}`,
    message:
      `Chain ${chainId}: transaction ${transactionHash} in block ${block} lent ${formatUnits(lend.principal, 18)} dollars at ${coupon} bps until ${maturityTimestamp} ` +
      `on pool ${pool}, but the log has no such note for ${period} (${logged}). ${explainLend(lend, context)}`,
    evidence: {
      chainId,
      transactionHash,
      block,
      maturityTimestamp: maturityTimestamp.toString(),
      coupon: coupon.toString(),
    },
  }
}

function explainLend({ timestamp }: Lend, { chainId, firstPeriod }: LendContext): string {
  if (firstPeriod !== null && BigInt(timestamp) >= BigInt(firstPeriod)) {
    return (
      'The pool accepted the note, so it was signed with the signer’s key: the key has leaked, or notes are signed that are ' +
      'not logged. Stop lending, and pause the pool.'
    )
  }
  const first =
    firstPeriod === null
      ? `it has no set of chain ${chainId}`
      : `its first set of chain ${chainId} is for ${formatPeriod(periodAt(BigInt(firstPeriod)))}`
  return (
    `The log has sets of that time, but ${first}. Sets were removed from the log, or notes of that chain were signed ` +
    'without it. Ask the operator.'
  )
}

function describeSets(sets: readonly LoggedSet[]): string {
  if (sets.length === 0) return 'it has no set for that period'
  return sets.map(({ index, coupons }) => `entry ${index} has ${formatCoupons(coupons)}`).join('; ')
}

function formatCoupons(coupons: Readonly<Record<string, string>>): string {
  return Object.entries(coupons)
    .map(([maturity, coupon]) => `${coupon} bps until ${maturity}`)
    .slice(0, 20)
    .join(', ')
}
