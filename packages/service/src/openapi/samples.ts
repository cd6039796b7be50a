import type { CodeSample } from '@tallystick/core'

/** Returns a curl sample. The introduction shows how to set `TALLYSTICK_URL` and `TALLYSTICK_KEY`. */
export function curl(...lines: readonly string[]): CodeSample {
  return { lang: 'Shell', label: 'curl', source: lines.join(' \\\n  ') }
}

export const keyHeader = '-H "x-api-key: $TALLYSTICK_KEY"'
export const jsonHeader = "-H 'content-type: application/json'"

/** Formats a body for the command line. Bodies must not contain an apostrophe; a test runs the samples. */
export function bodyOption(body: unknown): string {
  return `-d '${JSON.stringify(body)}'`
}

/** Returns a sample that uses the client library. */
export function typescript(...lines: readonly string[]): CodeSample {
  return typescriptWith([], ...lines)
}

/** Returns a sample that imports further functions of the client library. */
export function typescriptWith(functions: readonly string[], ...lines: readonly string[]): CodeSample {
  const source = [
    `import { ${['createClient', ...functions].join(', ')} } from '@tallystick/client'`,
    '',
    "const { TALLYSTICK_URL = '', TALLYSTICK_KEY = '' } = process.env",
    'const client = createClient({ baseUrl: TALLYSTICK_URL, apiKey: TALLYSTICK_KEY })',
    ...lines,
  ].join('\n')
  return { lang: 'TypeScript', label: '@tallystick/client', source }
}
