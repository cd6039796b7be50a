import { formatDollars, parseDollars } from '../format/dollars.ts'

/** What is known about the lender's wallet and the pool. Undefined while unknown. */
export type AmountLimits = { readonly balance?: bigint | undefined; readonly minLend?: bigint | undefined }

export type JudgedAmount = {
  /** Undefined if the text is not an amount. */
  readonly principal: bigint | undefined
  /** Why this amount cannot be lent. */
  readonly fault?: string | undefined
}

/** Reads the amount to lend. */
export function judgeAmount(text: string, { balance, minLend }: AmountLimits): JudgedAmount {
  const principal = parseDollars(text)
  if (principal === undefined) {
    const isEmpty = text.trim() === ''
    return { principal, fault: isEmpty ? 'Enter the amount to lend.' : 'Enter dollars, such as 10,000 or 2500.50.' }
  }
  if (principal === 0n) return { principal, fault: 'Enter more than 0.' }
  if (minLend !== undefined && principal < minLend)
    return { principal, fault: `The least amount is $${formatDollars(minLend)}.` }
  if (balance !== undefined && principal > balance)
    return { principal, fault: `This account has $${formatDollars(balance)}.` }
  return { principal }
}

/**
 * Formats an amount exactly, for the field.
 *
 * @example
 * formatExact(1000_500_000_000_000_000_000n) // '1,000.5'
 */
export function formatExact(amount: bigint): string {
  const whole = (amount / 10n ** 18n).toLocaleString('en-US')
  const fraction = String(amount % 10n ** 18n)
    .padStart(18, '0')
    .replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
