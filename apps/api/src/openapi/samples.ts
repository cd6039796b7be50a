import type { CodeSample } from './document.ts'

/** A command line. `TALLYSTICK_URL` and `TALLYSTICK_KEY` are set as the introduction shows. */
export function curl(...lines: readonly string[]): CodeSample {
  return { lang: 'Shell', label: 'curl', source: lines.join(' \\\n  ') }
}

export const keyHeader = '-H "x-api-key: $TALLYSTICK_KEY"'
export const jsonHeader = "-H 'content-type: application/json'"

/** A body on the command line. Our examples have no apostrophe in them; a test would tell. */
export function bodyOption(body: unknown): string {
  return `-d '${JSON.stringify(body)}'`
}

/** A program with the client library. */
export function typescript(...lines: readonly string[]): CodeSample {
  const source = [
    "import { createClient } from '@tallystick/client'",
    '',
    "const { TALLYSTICK_URL = '', TALLYSTICK_KEY = '' } = process.env",
    'const client = createClient({ baseUrl: TALLYSTICK_URL, apiKey: TALLYSTICK_KEY })',
    ...lines,
  ].join('\n')
  return { lang: 'TypeScript', label: '@tallystick/client', source }
}
