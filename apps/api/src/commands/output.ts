import { TallystickError } from '@tallystick/core'
import type { Terminal } from './terminal.ts'

/** Output of a command. With `json` it is one JSON document instead of text. */
export type Output = {
  readonly json: boolean
  /** Prints text. Ignored with `json`. */
  text(lines: string): void
  /** Prints the result as JSON. Ignored without `json`. */
  document(value: unknown): void
}

export function createOutput({ stdout }: Pick<Terminal, 'stdout'>, json: boolean): Output {
  return {
    json,
    text: (lines) => {
      if (!json) stdout.write(`${lines}\n`)
    },
    document: (value) => {
      if (json) stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)
    },
  }
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
  { json, stderr }: { readonly json: boolean } & Pick<Terminal, 'stderr'>,
): number {
  const known = error instanceof TallystickError
  const message = known ? error.message : `Unexpected failure: ${(error as Error)?.stack ?? String(error)}`
  const code = known ? error.code : 'internal_error'
  const details = known ? error.details : undefined
  stderr.write(json ? `${JSON.stringify({ message, code, ...(details && { details }) })}\n` : `${message}\n`)
  if (!known) return exitCodes.failed
  if (error.code === 'invalid_config') return exitCodes.config
  return ['database_unavailable', 'not_ready', 'server_unreachable', 'signer_failed'].includes(error.code)
    ? exitCodes.unavailable
    : exitCodes.failed
}

/** Formats rows under their headings, with aligned columns. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const format = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [format(headings), ...rows.map(format)].join('\n')
}
