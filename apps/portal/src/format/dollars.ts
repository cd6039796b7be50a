import { floorCents, formatCents } from './cents.ts'

const dollar = 10n ** 18n

/**
 * Formats an amount in the token's smallest unit as dollars and cents, rounded down. Amounts that are added on the page
 * need `splitCents`.
 *
 * @example
 * formatDollars(1234_567_000_000_000_000_000n) // '1,234.56'
 */
export function formatDollars(amount: bigint): string {
  return formatCents(floorCents(amount))
}

/**
 * Parses an amount in dollars. Returns it in the token's smallest unit, or undefined if the text is not an amount. Commas
 * and spaces may group the digits before the point.
 *
 * @example
 * parseDollars('1,000.50') // 1000500000000000000000n
 */
export function parseDollars(text: string): bigint | undefined {
  const [, whole = '', fraction = ''] = /^\$?(\d[\d, ]*)(?:\.(\d{0,18}))?$/.exec(text.trim()) ?? []
  const digits = whole.replace(/[, ]/g, '')
  // 15 digits exceed any real amount.
  if (digits === '' || digits.length > 15) return undefined
  return BigInt(digits) * dollar + BigInt(fraction.padEnd(18, '0'))
}
