import type { Scalar } from './entity-model.ts'

// graph-node's limit, and PostgreSQL's for the digits of a numeric before the point.
const bigIntDigitsMax = 131_072
const int8Max = 2n ** 63n - 1n
const invalidDigit = { fault: 'invalid digit found in string' }
const empty = { fault: 'cannot parse integer from empty string' }

/** Parses the text form of a scalar. It normalises numbers, so that equal values have equal texts. */
export function parseScalar(scalar: Scalar, value: string): ParsedScalar {
  switch (scalar) {
    case 'Bytes':
      return parseBytes(value)
    case 'BigInt':
      return parseBigInt(value)
    case 'Int8':
    case 'Timestamp':
      return parseInt8(value)
    case 'BigDecimal':
      return parseBigDecimal(value)
    case 'Int':
      return /^-?\d{1,10}$/.test(value) && Number(value) === (Number(value) | 0)
        ? { text: String(Number(value)) }
        : invalidDigit
    case 'Boolean':
      return value === 'true' || value === 'false' ? { text: value } : { fault: 'not a boolean' }
    case 'ID':
    case 'String':
      return parseText(value)
  }
}

const surrogate = /\p{Surrogate}/u

/** PostgreSQL can store neither a NUL character nor half of a surrogate pair. */
function parseText(value: string): ParsedScalar {
  if (value.includes('\0')) return { fault: 'holds a NUL character' }
  return surrogate.test(value) ? { fault: 'holds half of a surrogate pair' } : { text: value }
}

function parseBytes(value: string): ParsedScalar {
  const digits = value.replace(/^(?:0x)+/, '')
  if (/^(?:[0-9a-fA-F]{2})*$/.test(digits)) return { text: `\\x${digits.toLowerCase()}` }
  const bytes = Buffer.from(digits, 'utf8')
  if (bytes.length % 2 === 1) return { fault: 'Odd number of digits' }
  const position = bytes.findIndex((byte) => !/[0-9a-fA-F]/.test(String.fromCharCode(byte)))
  return { fault: `Invalid character '${String.fromCharCode(bytes[position] ?? 0)}' at position ${position}` }
}

function parseBigInt(value: string): ParsedScalar {
  if (/^[+-]?$/.test(value)) return empty
  if (!/^[+-]?\d[\d_]*$/.test(value)) return invalidDigit
  const digits = value.replace(/^[+-]?[0_]*|_/g, '')
  if (digits.length > bigIntDigitsMax) return { fault: `more than ${bigIntDigitsMax} digits` }
  if (digits === '') return { text: '0' }
  return { text: value.startsWith('-') ? `-${digits}` : digits }
}

function parseInt8(value: string): ParsedScalar {
  if (/^[+-]?$/.test(value)) return value === '' ? empty : invalidDigit
  if (!/^[+-]?\d+$/.test(value)) return invalidDigit
  const digits = value.replace(/^[+-]?0*/, '')
  const isNegative = value.startsWith('-')
  const number = digits.length > 20 ? int8Max * 2n : BigInt(digits || '0')
  if (number > (isNegative ? int8Max + 1n : int8Max)) {
    return { fault: `number too ${isNegative ? 'small' : 'large'} to fit in target type` }
  }
  return { text: String(isNegative ? -number : number) }
}

// IEEE 754 decimal128, as graph-node keeps a BigDecimal: 34 digits and this range of exponents.
const significantDigitsMax = 34
const exponentMin = -6143
const exponentMax = 6144

/** Normalises a decimal: at most 34 significant digits (half away from zero), no trailing zeros, no exponent. */
function parseBigDecimal(value: string): ParsedScalar {
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

/**
 * Text that PostgreSQL accepts and returns for a value (bytes as `\x…`), or why the value is invalid. The faults are
 * Rust's messages, because graph-node shows them.
 */
type ParsedScalar = { readonly text: string } | { readonly fault: string }
