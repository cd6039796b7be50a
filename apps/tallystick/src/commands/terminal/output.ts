import { TallystickError } from '@tallystick/core'
import { chooseLayout, type Layout } from './layout.ts'
import type { Terminal } from './terminal.ts'

/** Options that decide about the output. */
export type OutputOptions = { readonly json: boolean; readonly color?: boolean | undefined }

export type Output = ReturnType<typeof createOutput>

/** Creates the output of a command. With `json` it is one JSON document instead of text. */
export function createOutput({ stdout, env }: Pick<Terminal, 'stdout' | 'env'>, { json, color = true }: OutputOptions) {
  return {
    json,
    layout: chooseLayout(stdout, { env, color }),
    /** Prints text. Ignored with `json`. */
    text: (lines: string) => {
      if (!json) stdout.write(`${lines}\n`)
    },
    /** Prints the result as JSON. Ignored without `json`. */
    document: (value: unknown) => {
      if (json) stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)
    },
  }
}

type Printed = {
  readonly options: OutputOptions
  readonly document: unknown
  readonly text: (layout: Layout) => string
}

/** Prints the result of a command: the text, or with `--json` the document. */
export function print(terminal: Terminal, { options, document, text }: Printed): void {
  const output = createOutput(terminal, options)
  output.document(document)
  if (!output.json) output.text(text(output.layout))
}

/** Exit codes of the process. `--help` and the documentation explain them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  config: 3,
  unavailable: 4,
  unconfirmed: 5,
} as const

/** Prints an error to stderr and returns its exit code. */
export function reportFailure(
  error: unknown,
  { json, color, stderr, env }: OutputOptions & Pick<Terminal, 'stderr' | 'env'>,
): number {
  const known = error instanceof TallystickError
  const message = known ? error.message : `Unexpected failure: ${(error as Error)?.stack ?? String(error)}`
  const code = known ? error.code : 'internal_error'
  const details = known ? error.details : undefined
  const { style } = chooseLayout(stderr, { env, color: color ?? true })
  stderr.write(json ? `${JSON.stringify({ message, code, ...(details && { details }) })}\n` : `${style.red(message)}\n`)
  if (!known) return exitCodes.failed
  if (error.code === 'invalid_config') return exitCodes.config
  return ['database_unavailable', 'not_ready', 'server_unreachable', 'signer_failed'].includes(error.code)
    ? exitCodes.unavailable
    : exitCodes.failed
}
