// A GraphQL response of the deepest allowed query has about 25 levels, a JSON-RPC response about 5.
const levelsMax = 100

/**
 * Parses JSON of another party. Throws a `SyntaxError` if it is not JSON or has more than 100 levels of arrays and objects:
 * `JSON.parse` needs up to a second for a megabyte of brackets.
 *
 * @example
 * parseJson('{"id":1}') // { id: 1 }
 * parseJson('['.repeat(101)) // throws
 */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError(`The JSON has more than ${levelsMax} levels.`)
  return JSON.parse(text)
}

/** Counts brackets outside of strings in one pass. Jumps over strings by `indexOf`, which is faster than reading them. */
function isTooDeep(text: string): boolean {
  let levels = 0
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index)
    if (character === quote) {
      index = findEnd(text, index)
      if (index < 0) return false
    } else if (character === 0x5b || character === 0x7b) {
      levels += 1
      if (levels > levelsMax) return true
    } else if (character === 0x5d || character === 0x7d) levels -= 1
  }
  return false
}

const quote = 0x22
const backslash = 0x5c

/** Returns the index of the quote that ends a string, or -1. A quote after an odd number of backslashes is escaped. */
function findEnd(text: string, start: number): number {
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    let before = end - 1
    while (text.charCodeAt(before) === backslash) before -= 1
    if (end < 0 || (end - before) % 2 === 1) return end
  }
}
