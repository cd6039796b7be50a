import type { Operator } from '@tallystick/service'
import type { CommonOptions } from '../options.ts'
import type { Layout } from '../terminal/layout.ts'
import { print } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Part of the operator that changes nothing. */
type Reader = Pick<Operator, Extract<keyof Operator, `show${string}` | `list${string}` | 'previewCurve' | 'checkIndex'>>

type Printed<Result> = {
  readonly options: CommonOptions
  readonly format: (result: Result, layout: Layout) => string
  /** Returns the exit code of a result that was not what the user asked for. */
  readonly exitCode?: (result: Result) => number | undefined
}

/** Runs a read-only command and prints its result. It neither creates nor migrates a database. */
export async function showReport<Result>(
  terminal: Terminal,
  command: Printed<Result> & { readonly read: (operator: Reader) => Promise<Result> },
): Promise<void> {
  const { options, read } = command
  printResult(terminal, await withOperator(terminal, { options, access: 'read', work: read }), command)
}

/** Runs a command that may change something, and prints its result. */
export async function makeChange<Result>(
  terminal: Terminal,
  command: Printed<Result> & { readonly change: (operator: Operator) => Promise<Result> },
): Promise<void> {
  const { options, change } = command
  printResult(terminal, await withOperator(terminal, { options, access: 'write', work: change }), command)
}

function printResult<Result>(terminal: Terminal, result: Result, command: Printed<Result>): void {
  const { options, format, exitCode } = command
  print(terminal, { options, document: result, text: (layout) => format(result, layout) })
  terminal.exitCode = exitCode?.(result) ?? terminal.exitCode
}

type Work<Result> = {
  readonly options: CommonOptions
  readonly access: 'read' | 'write'
  readonly work: (operator: Operator) => Promise<Result>
}

/** Runs a command. See `runWithOperator`, which is loaded only when a command needs it. */
export async function withOperator<Result>(
  terminal: Terminal,
  { options, access, work }: Work<Result>,
): Promise<Result> {
  const { runWithOperator } = await import('./run-with-operator.ts')
  return runWithOperator({ path: options.config, env: terminal.env }, { access, work })
}
