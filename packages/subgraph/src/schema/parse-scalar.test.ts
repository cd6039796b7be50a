import { expect, test } from 'vitest'
import type { Scalar } from './entity-model.ts'
import { parseScalar } from './parse-scalar.ts'

const accepted: readonly (readonly [Scalar, string, string])[] = [
  ['BigInt', '007', '7'],
  ['BigInt', '+7', '7'],
  ['BigInt', '-0', '0'],
  ['BigInt', '1_000', '1000'],
  ['BigInt', `${2n ** 256n - 1n}`, `${2n ** 256n - 1n}`],
  ['Bytes', '', '\\x'],
  ['Bytes', '0x', '\\x'],
  ['Bytes', '0x0xABcd', '\\xabcd'],
  ['Bytes', 'ff', '\\xff'],
  ['Int8', '-9223372036854775808', '-9223372036854775808'],
  ['Int8', '0009223372036854775807', '9223372036854775807'],
  ['Timestamp', '1700000000000000', '1700000000000000'],
  ['BigDecimal', '1.500', '1.5'],
  ['BigDecimal', '-0.0', '0'],
  ['BigDecimal', '1e3', '1000'],
  ['BigDecimal', '12.5e-3', '0.0125'],
  ['BigDecimal', '.5', '0.5'],
  ['BigDecimal', '100', '100'],
  ['BigDecimal', '0.12345678901234567890123456789012345678', '0.1234567890123456789012345678901235'],
  ['BigDecimal', '99999999999999999999999999999999999', '100000000000000000000000000000000000'],
  ['String', '', ''],
  ['String', '😀', '😀'],
]
test.each(accepted)('default: %s %j is %s', (scalar, value, text) => {
  expect(parseScalar(scalar, value)).toEqual({ text })
})

const refused: readonly (readonly [Scalar, string, string])[] = [
  ['BigInt', '', 'cannot parse integer from empty string'],
  ['BigInt', '0x10', 'invalid digit found in string'],
  ['BigInt', '1.5', 'invalid digit found in string'],
  ['BigInt', ' 1', 'invalid digit found in string'],
  ['BigInt', '_1', 'invalid digit found in string'],
  ['BigInt', '+-1', 'invalid digit found in string'],
  ['BigInt', '1'.repeat(131_073), 'more than 131072 digits'],
  ['Bytes', '0x123', 'Odd number of digits'],
  ['Bytes', '0xzz', "Invalid character 'z' at position 0"],
  ['Bytes', '0xffg0', "Invalid character 'g' at position 2"],
  ['Int8', '9223372036854775808', 'number too large to fit in target type'],
  ['Int8', '-9223372036854775809', 'number too small to fit in target type'],
  ['Int8', '', 'cannot parse integer from empty string'],
  ['Int8', '1e3', 'invalid digit found in string'],
  ['BigDecimal', '', 'invalid digit found in string'],
  ['BigDecimal', '.', 'invalid digit found in string'],
  ['BigDecimal', 'NaN', 'invalid digit found in string'],
  ['BigDecimal', '1e7000', "big decimal exponent '7000' is outside the '-6143' to '6144' range"],
  ['String', 'a\0b', 'holds a NUL character'],
  ['String', '\ud800', 'holds half of a surrogate pair'],
]
test.each(refused)('error: %s %j', (scalar, value, fault) => {
  expect(parseScalar(scalar, value)).toEqual({ fault })
})
