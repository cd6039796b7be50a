/**
 * Returns whether a text has neither escapes nor control characters. If it is JSON, every quote begins or ends a string, and
 * there are no line breaks or tabs between the tokens.
 */
export function hasPlainStrings(text: string): boolean {
  return !specialCharacter.test(text)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON does not allow them in strings.
const specialCharacter = /[\u0000-\u001f\\]/
// More than the answer of any allowed query has, and few enough for the bits of an integer.
const levelsMax = 28
const openMax = 2 ** (levelsMax + 1)
// RFC 8259 §3 and §6.
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/**
 * Returns the index after an object whose first member begins at `start`, or 0 if there is no member, the object is not valid
 * JSON, has white space between its tokens, or more than 28 levels. The text must have plain strings. Checking costs a third
 * of parsing, because nothing is created.
 */
export function skipMembers(text: string, start: number): number {
  let index = skipName(text, start)
  // One bit for each open level, 1 for an object and 0 for an array, below a leading 1.
  let open = 0b11
  while (index > 0) {
    const opening = text.charCodeAt(index)
    if (opening === openBrace || opening === openBracket) {
      open = open * 2 + Number(opening === openBrace)
      if (open >= openMax) return 0
      index += 1
      // Both closing characters are two after the opening ones.
      if (text.charCodeAt(index) !== opening + 2) {
        if (opening === openBrace) index = skipName(text, index)
        continue
      }
    } else {
      index = skipScalar(text, index)
      if (index === 0) return 0
    }
    // A comma and the next member or item follow, or the ends of one or more levels.
    for (; text.charCodeAt(index) === (open % 2 === 1 ? closeBrace : closeBracket); index += 1) {
      open = Math.floor(open / 2)
      if (open === 1) return index + 1
    }
    if (text.charCodeAt(index) !== comma) return 0
    index = open % 2 === 1 ? skipName(text, index + 1) : index + 1
  }
  return 0
}

const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const [quote, colon, comma] = [0x22, 0x3a, 0x2c]

/** Returns the index after a name and its colon, or 0 if there is none. */
function skipName(text: string, start: number): number {
  const end = text.charCodeAt(start) === quote ? text.indexOf('"', start + 1) + 1 : 0
  return end > 0 && text.charCodeAt(end) === colon ? end + 1 : 0
}

/** Returns the index after a string, a number, `true`, `false` or `null`, or 0 if there is none. */
function skipScalar(text: string, start: number): number {
  if (text.charCodeAt(start) === quote) return text.indexOf('"', start + 1) + 1
  scalar.lastIndex = start
  return scalar.test(text) ? scalar.lastIndex : 0
}
