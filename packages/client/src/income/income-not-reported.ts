import { ClientError, type ClientErrorOptions } from '../client-error.ts'
import type { Claimability } from './claimability.ts'

/**
 * Thrown by the functions that build a claim if the claim would lose floating income for good, because the pool does not
 * have it yet. `claimability` says how much, and from when on the claim is usually complete.
 *
 * @example
 * const { notes } = await client.notes({ maturity: 7 })
 * const now = notes[0]!.maturityTimestamp
 * const terms = { ...notes[0]!, principal: 1000n * 10n ** 18n, lendTimestamp: now - 604800n, partnerFeeBPS: 0n }
 * try {
 *   claimCalldata({ ...terms, pool, beneficiary: wallet, tokenId: 7n, reported: { ...floatingAccumulator([]), now } })
 * } catch (error) {
 *   error instanceof IncomeNotReportedError && error.claimability.status // => 'income_not_reported'
 * }
 */
export class IncomeNotReportedError extends ClientError {
  override readonly name = 'IncomeNotReportedError' as const
  readonly claimability: Claimability

  constructor(options: IncomeNotReported) {
    super({ ...options, retryable: true })
    this.claimability = options.claimability
  }
}

/** Members of an error with the code `income_not_reported`. */
export type IncomeNotReported = ClientErrorOptions & { readonly claimability: Claimability }

/** Describes why a claim would lose income. The details are decimal strings, so that the error can be logged as JSON. */
export function describeMissingIncome(tokenId: bigint, claimability: Claimability): IncomeNotReported {
  const { status, paidNow, expectedAfter, missingIncome, completeFrom, lastReportedDay, maturityDay } = claimability
  const known = lastReportedDay === 0n ? 'no day' : `the days up to ${formatDay(lastReportedDay)}`
  const wait = `Claim after ${formatDay(maturityDay)} is reported, usually from ${formatInstant(completeFrom)} on`
  const loss = `A claim now pays ${formatDollars(paidNow.net)} of income instead of about ${formatDollars(expectedAfter.net)}, and the rest is lost`
  const message =
    status === 'not_matured'
      ? `Position ${tokenId} has not matured. ${wait}.`
      : `The pool has the floating income of ${known} (UTC), and position ${tokenId} earns until ${formatDay(maturityDay)}. ${loss}. ${wait}, or pass \`acceptMissingIncome: true\`.`
  const details = {
    tokenId: String(tokenId),
    lastReportedDay: String(lastReportedDay),
    maturityDay: String(maturityDay),
    paidNow: String(paidNow.net),
    expectedAfter: String(expectedAfter.net),
    missingIncome: String(missingIncome),
    completeFrom: String(completeFrom),
  }
  return { code: 'income_not_reported', message, details, claimability }
}

function formatDay(day: bigint): string {
  return new Date(Number(day) * 86_400_000).toISOString().slice(0, 10)
}

function formatInstant(seconds: bigint): string {
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 16)}Z`
}

/** Formats an amount of the dollar, which has 18 decimals, rounded down to 4. */
function formatDollars(amount: bigint): string {
  const parts = amount / 10n ** 14n
  return `$${parts / 10_000n}.${String(parts % 10_000n).padStart(4, '0')}`
}
