import type { ParsedScalar } from './parsed-scalar.ts'

// IEEE 754 decimal128, as graph-node keeps a BigDecimal: 34 digits and this range of exponents.
const significantDigitsMax = 34
const exponentMin = -6143
const exponentMax = 6144

/** Normalises a decimal: at most 34 significant digits (half away from zero), no trailing zeros, no exponent. */
export function parseBigDecimal(value: string): ParsedScalar {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/.exec(value)
  const [, sign = '', whole = '', fraction = '', power = '0'] = match ?? []
  if (!match || whole + fraction === '') return { fault: 'invalid digit found in string' }
  const { digits, exponent } = round((whole + fraction).replace(/^0+/, ''), Number(power) - fraction.length)
  if (digits === '') return { text: '0' }
  if (exponent < exponentMin || exponent > exponentMax) {
    return { fault: `big decimal exponent '${exponent}' is outside the '${exponentMin}' to '${exponentMax}' range` }
  }
  return { text: `${sign === '-' ? '-' : ''}${printPlain(digits, exponent)}` }
}

function round(digits: string, exponent: number): { readonly digits: string; readonly exponent: number } {
  const excess = Math.max(0, digits.length - significantDigitsMax)
  const kept = digits.slice(0, digits.length - excess)
  const roundsUp = excess > 0 && (digits[kept.length] ?? '0') >= '5'
  const rounded = roundsUp ? String(BigInt(kept) + 1n) : kept
  const trimmed = rounded.replace(/0+$/, '')
  return { digits: trimmed, exponent: exponent + excess + rounded.length - trimmed.length }
}

function printPlain(digits: string, exponent: number): string {
  if (exponent >= 0) return digits + '0'.repeat(exponent)
  const padded = digits.padStart(1 - exponent, '0')
  return `${padded.slice(0, exponent)}.${padded.slice(exponent)}`
}
