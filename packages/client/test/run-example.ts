import { isDeepStrictEqual } from 'node:util'
import { transformSync } from 'esbuild'
import type { Example } from './find-examples.ts'

export type ExampleWorld = {
  readonly baseUrl: string
  /** Values that an example can use without declaring them. */
  readonly scope: Readonly<Record<string, unknown>>
  /** Modules that an example can import, by name. */
  readonly modules: Readonly<Record<string, unknown>>
}

type ExampleFunction = (
  scope: unknown,
  modules: unknown,
  check: (found: unknown, expected: unknown) => void,
) => Promise<void>
const AsyncFunction = (async () => {}).constructor as new (...code: readonly string[]) => ExampleFunction

/**
 * Runs an example as printed, with the base URL of the test. If a line ends in
 * `// => value`, or in core `// value`, the statement must have that value. Returns the number of checked values.
 */
export async function runExample({ code }: Example, { baseUrl, scope, modules }: ExampleWorld): Promise<number> {
  const checked = addChecks(code)
  const imported = checked.text
    .replaceAll('https://notes.example', baseUrl)
    .replace(/^import \{([^}]+)\} from '([^']+)'$/gm, "const {$1} = modules['$2']")
  const { code: javaScript } = transformSync(imported, { loader: 'ts', target: 'esnext' })
  // In a block, so that an example can redeclare names.
  const names = Object.keys(scope).join(', ')
  let checks = 0
  await new AsyncFunction('scope', 'modules', 'check', `const { ${names} } = scope\n{\n${javaScript}\n}`)(
    scope,
    modules,
    (found, expected) => {
      checks++
      if (!isDeepStrictEqual(found, expected))
        throw new Error(`It came to ${String(found)}, not to ${String(expected)}.`)
    },
  )
  if (checks !== checked.count) throw new Error(`${checked.count} results are printed, ${checks} were come to.`)
  return checks
}

function addChecks(code: string): { readonly text: string; readonly count: number } {
  const lines = code.split('\n')
  let count = 0
  for (const [index, line] of lines.entries()) {
    const [, statement, marked, plain] = /^(.*\S) \/\/ (?:=> (.+)|(\d+n|'[^']*'|true|false)(?!\w).*)$/.exec(line) ?? []
    if (statement === undefined) continue
    lines[index] = `${statement}), ${marked ?? plain})`
    const first = findStart(lines, index)
    lines[first] = (lines[first] as string).replace(/^\s*/, '$&check((')
    count++
  }
  return { text: lines.join('\n'), count }
}

/** Returns the first line of a statement that ends on a line, by its brackets. */
function findStart(lines: readonly string[], last: number): number {
  for (let first = last; first >= 0; first--) {
    // The end of the check itself closes two more than the statement opens.
    const text = lines
      .slice(first, last + 1)
      .join('\n')
      .replace(/\), [^\n]*\)$/, '')
      .replace(/'[^'\n]*'/g, '')
    const opened = text.match(/[([{]/g)?.length ?? 0
    const closed = text.match(/[)\]}]/g)?.length ?? 0
    if (opened === closed) return first
  }
  throw new Error(`No statement begins above ${lines[last]}`)
}
