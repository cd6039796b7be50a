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
  if (countOpen(text) > levelsMax) throw new SyntaxError(`The JSON has more than ${levelsMax} levels.`)
  return JSON.parse(text)
}

/** Returns whether a text that is not JSON may be the beginning of some: a string, an array or an object is not closed. */
export function isCutOff(text: string): boolean {
  const open = countOpen(text)
  return open > 0 && open <= levelsMax
}

/**
 * Returns how many arrays, objects and strings are open at the end, or a number above `levelsMax` as soon as that many are.
 * Reads the text once and jumps over strings by `indexOf`, which is faster than reading them.
 */
function countOpen(text: string): number {
  let levels = 0
  for (let index = 0; index < text.length && levels <= levelsMax; index += 1) {
    const character = text.charCodeAt(index)
    if (character === quote) {
      index = findEnd(text, index)
      if (index < 0) return levels + 1
    } else if (character === 0x5b || character === 0x7b) levels += 1
    else if (character === 0x5d || character === 0x7d) levels -= 1
  }
  return levels
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
