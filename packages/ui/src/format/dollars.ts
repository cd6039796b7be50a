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
 * Formats an amount exactly, for a field. `parseDollars` reads it as the same amount: three decimals would also be a group.
 *
 * @example
 * formatExact(1000_500_000_000_000_000_000n) // '1,000.50'
 */
export function formatExact(amount: bigint): string {
  return `${(amount / dollar).toLocaleString('en-US')}.${trimDecimals(String(amount % dollar).padStart(18, '0'))}`
}

function trimDecimals(decimals: string): string {
  const trimmed = decimals.replace(/0+$/, '')
  return trimmed.padEnd(trimmed.length === 3 ? 4 : 2, '0')
}

/** Amount in the token's smallest unit, or why the text is not one. */
export type ParsedDollars =
  | { readonly amount: bigint; readonly fault?: undefined }
  | { readonly amount?: undefined; readonly fault: string }

// Half of the world writes 1,250.50 and the other half 1.250,50. Groups have three digits, and none starts with a 0.
const shapes = [
  /^(0|[1-9]\d*)(?:[.,](\d{0,18}))?$/,
  /^([1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d{0,18}))?$/,
  /^([1-9]\d{0,2}(?:\.\d{3})+)(?:,(\d{0,18}))?$/,
  /^([1-9]\d{0,2}(?:(?: \d{3})+|(?:'\d{3})+))(?:[.,](\d{0,18}))?$/,
]
const amountMax = 2n ** 256n - 1n
// The largest amount has 60 digits before the point, in groups of three, and 18 behind it.
const lengthMax = 100

/**
 * Parses an amount in dollars. Commas, points, spaces and apostrophes may group the digits, and a comma or a point may
 * begin the decimals. A text that could be read in two ways is a fault that names both.
 *
 * @example
 * parseDollars('1250,50') // { amount: 1250500000000000000000n }
 * parseDollars('1,250') // { fault: '"1,250" can mean 1250 or 1.25. Enter one of these.' }
 */
export function parseDollars(text: string): ParsedDollars {
  const plain = text
    .trim()
    .replace(/^\$/, '')
    .replace(/[\u00a0\u2009\u202f]/g, ' ')
    .replace(/’/g, "'")
  const readings = plain.length > lengthMax ? [] : shapes.flatMap((shape) => readAs(shape, plain))
  const [reading, other] = readings
  if (!reading || amountOf(reading) > amountMax) return { fault: 'Enter dollars, such as 10000 or 2500.50.' }
  if (!other) return { amount: amountOf(reading) }
  const decimal = `${reading.whole}.${trimDecimals(reading.decimals)}`
  return { fault: `"${plain}" can mean ${other.whole} or ${decimal}. Enter one of these.` }
}

type Reading = { readonly whole: string; readonly decimals: string }

function readAs(shape: RegExp, text: string): readonly Reading[] {
  const [, whole, decimals = ''] = shape.exec(text) ?? []
  return whole === undefined ? [] : [{ whole: whole.replace(/\D/g, ''), decimals }]
}

function amountOf({ whole, decimals }: Reading): bigint {
  return BigInt(whole) * dollar + BigInt(decimals.padEnd(18, '0'))
}
