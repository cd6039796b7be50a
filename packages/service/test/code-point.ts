import fc from 'fast-check'

/** Any code point. The unit "binary" of fast-check builds a map of all of them, which takes a second. */
export const codePoint: fc.Arbitrary<string> = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code))
