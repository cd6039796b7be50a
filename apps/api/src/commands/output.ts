import { TallystickError } from '@tallystick/core'
import type { Terminal } from './terminal.ts'

/** Where a command writes. `json` is one document on stdout instead of text for people. */
export type Output = {
  readonly json: boolean
  /** Text for people; dropped when the command speaks JSON. */
  text(lines: string): void
  /** The result for programs; dropped when the command speaks to people. */
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

/** What the process's exit code means, for `--help` and the documentation. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  config: 3,
  unavailable: 4,
  unconfirmed: 5,
} as const

/** Tells on stderr what went wrong and returns the exit code it deserves. */
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

/** Rows under their headings, columns aligned. */
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
