import type { Operator } from '@tallystick/service'
import type { Invocation } from '../terminal/terminal.ts'

/** Part of the operator that changes nothing. */
export type Reader = Pick<
  Operator,
  | 'listKeys'
  | 'showUsage'
  | 'showStatus'
  | 'showCurve'
  | 'previewCurve'
  | 'showNotes'
  | 'showAudit'
  | 'showLog'
  | 'listHooks'
  | 'listDeliveries'
  | 'showIndex'
  | 'checkIndex'
>

/** Runs a command that may change something. See `runWithOperator`, which is loaded only when a command needs it. */
export async function withOperator<Result>(
  { terminal, options }: Invocation,
  work: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  const { runWithOperator } = await import('./run-with-operator.ts')
  return runWithOperator({ path: options.config, env: terminal.env }, 'write', work)
}

/** Runs a read-only command. It neither creates nor migrates a database. */
export async function withReader<Result>(
  { terminal, options }: Invocation,
  work: (operator: Reader) => Promise<Result>,
): Promise<Result> {
  const { runWithOperator } = await import('./run-with-operator.ts')
  return runWithOperator({ path: options.config, env: terminal.env }, 'read', work)
}
