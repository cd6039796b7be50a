import { formatDollars, parseDollars } from '@tallystick/ui'

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
  const { amount: principal, fault } = parseDollars(text)
  if (principal === undefined) return { principal, fault: text.trim() === '' ? 'Enter the amount to lend.' : fault }
  if (principal === 0n) return { principal, fault: 'Enter more than 0.' }
  if (minLend !== undefined && principal < minLend)
    return { principal, fault: `The least amount is $${formatDollars(minLend)}.` }
  if (balance !== undefined && principal > balance)
    return { principal, fault: `This account has $${formatDollars(balance)}.` }
  return { principal }
}
