import type { NoteTerms } from '@tallystick/core'
import type { Address, Hex } from 'viem'
import { type Chain, chainId, dollars, noPartner, signNote, startsAt } from './chain.ts'

/** When the tests' first position is lent, and when it matures. */
export const lentAt = startsAt + 3_600n
export const maturesAt = lentAt + 30n * 86_400n
/** When the UTC day of that maturity is over, so that its floating income can be reported. */
export const completeAt = (maturesAt / 86_400n + 1n) * 86_400n

/** A note good around an instant. */
export function noteAt(instantSeconds: bigint, { coupon = 500n, tenorDays = 30n } = {}): NoteTerms {
  return {
    chainId,
    coupon,
    maturityTimestamp: instantSeconds + tenorDays * 86_400n,
    validAfter: instantSeconds - 60n,
    validBefore: instantSeconds + 60n,
  }
}

type LendOptions = {
  readonly lender: Address
  readonly at?: bigint | undefined
  readonly note?: NoteTerms | undefined
  readonly params?: Partial<LendParams> | undefined
}
type LendParams = {
  readonly beneficiary: Address
  readonly partnerId: Hex
  readonly partnerFeeBPS: bigint
  readonly principal: bigint
}

/** The call that lends a thousand dollars on a note of 30 days, unless told otherwise. */
export async function lendCall(chain: Chain, { lender, at = lentAt, note = noteAt(at), params = {} }: LendOptions) {
  const defaults = { beneficiary: lender, partnerId: noPartner, partnerFeeBPS: 0n, principal: dollars(1_000) }
  const args = [{ ...defaults, ...params }, note, await signNote(chain, note)] as const
  return { from: lender, to: chain.pool, functionName: 'lend', args, at }
}

/** The call that claims to its sender. */
export function claimCall({ pool }: Chain, from: Address, tokenId: bigint) {
  return { from, to: pool, functionName: 'claim', args: [from, tokenId], at: maturesAt }
}

export function approvePosition({ pool, positions }: Chain, from: Address, tokenId: bigint) {
  return { from, to: positions, functionName: 'approve', args: [pool, tokenId] }
}

export function transferPosition({ positions }: Chain, from: Address, [to, tokenId]: readonly [Address, bigint]) {
  return { from, to: positions, functionName: 'transferFrom', args: [from, to, tokenId] }
}

/** The call that reports the same floating income for days, by default for all days of the first position. */
export function reportIncome(
  { admin, pool }: Chain,
  { firstDay = lentAt / 86_400n, lastDay = maturesAt / 86_400n, income = 40_654_777_192_457_711n } = {},
) {
  const incomes = Array.from({ length: Number(lastDay - firstDay) + 1 }, () => income)
  const args = [firstDay, BigInt(incomes.length), incomes]
  return { from: admin.address, to: pool, functionName: 'updatePreviousFloatingIncome', args }
}
