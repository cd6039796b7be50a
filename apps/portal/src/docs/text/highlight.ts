export type Token = {
  readonly kind: 'plain' | 'comment' | 'string' | 'number' | 'keyword' | 'name'
  readonly text: string
}

const words =
  'import|from|export|const|let|async|await|for|of|in|if|else|return|new|function|throw|try|catch|type|with|as|def|' +
  'class|print|package|func|var|range|defer|struct|nil|not|and|or|true|false|null|undefined|True|False|None|curl|npm|npx|node|python3|tallystick'
const strings = ['"', "'", '`'].map((quote) => `${quote}(?:[^${quote}\\\\]|\\\\.)*${quote}`).join('|')
const hash = '#.*'
const slashes = '//.*'
const none = '(?!)'
const comments: Readonly<Record<string, string>> = {
  ...{ sh: hash, python: hash, yaml: hash, nginx: hash },
  ...{ ts: slashes, tsx: slashes, go: slashes },
  ...{ json: none, http: none, sql: '--.*' },
}

/** Splits code into tokens to be coloured. It is exact enough for the examples of the documentation. A text in an unknown language has no colours. */
export function highlight(source: string, language: string): readonly Token[] {
  const comment = comments[language]
  if (comment === undefined) return [{ kind: 'plain', text: source }]
  const pattern = new RegExp(
    String.raw`(?<comment>(?<![\w:'"$])${comment})|(?<name>"[^"\n]*"(?=:\s))|(?<string>${strings})|` +
      String.raw`(?<keyword>\b(?:${words})\b)|(?<number>\b\d[\d_.]*n?\b)`,
    'g',
  )
  const tokens: Token[] = []
  let end = 0
  for (const match of source.matchAll(pattern)) {
    const [kind = 'plain'] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? []
    if (match.index > end) tokens.push({ kind: 'plain', text: source.slice(end, match.index) })
    tokens.push({ kind: kind as Token['kind'], text: match[0] })
    end = match.index + match[0].length
  }
  if (end < source.length) tokens.push({ kind: 'plain', text: source.slice(end) })
  return tokens
}
