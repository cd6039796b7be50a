/**
 * Changes the white space of a JSON text: none without `indentation`. Everything else stays as it is, unlike with
 * `JSON.parse` and `JSON.stringify`, which round integers above 2^53. Throws a `SyntaxError` if the text is not JSON.
 */
export function reformatJson(text: string, indentation = ''): string {
  const space = indentation === '' ? '' : ' '
  let depth = 0
  const lineBreak = () => (indentation === '' ? '' : `\n${indentation.repeat(depth)}`)
  let before = ''
  const parts = tokensOf(text).map((token) => {
    const isEmpty = /^[[{]$/.test(before) && /^[\]}]$/.test(token)
    const isAfterOpening = /^[[{]$/.test(before)
    before = token
    if (/^[\]}]$/.test(token)) {
      depth -= 1
      return isEmpty ? token : `${lineBreak()}${token}`
    }
    const start = isAfterOpening ? lineBreak() : ''
    if (/^[[{]$/.test(token)) depth += 1
    if (token === ',') return `,${lineBreak()}`
    return token === ':' ? `:${space}` : `${start}${token}`
  })
  return parts.join('')
}

/** Changes the white space of a text if it is JSON. Any other text stays as it is. */
export function reformatIfJson(text: string, indentation?: string): string {
  try {
    return reformatJson(text, indentation)
  } catch {
    return text
  }
}

/** Returns the texts of the items of a JSON list, or undefined if the text is not a list. */
export function splitJsonList(text: string): readonly string[] | undefined {
  const tokens = tokensOf(text)
  if (tokens[0] !== '[') return undefined
  const items: string[] = []
  let depth = 0
  for (const token of tokens.slice(1, -1)) {
    if (token === ',' && depth === 0) {
      items.push('')
      continue
    }
    if (/^[[{]$/.test(token)) depth += 1
    if (/^[\]}]$/.test(token)) depth -= 1
    items.push(`${items.pop() ?? ''}${token}`)
  }
  return items
}

/** Makes a string of each integer that a number of JavaScript cannot hold. */
export function quoteLargeIntegers(text: string): string {
  return tokensOf(text)
    .map((token) => (isLargeInteger(token) ? `"${token}"` : token))
    .join('')
}

function isLargeInteger(token: string): boolean {
  return /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))
}

/** Returns strings, numbers, words and punctuation. */
function tokensOf(text: string): readonly string[] {
  JSON.parse(text)
  return text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g) ?? []
}
