import type { StopSignal } from '@tallystick/base'
import type { Values } from '../request/coerce-arguments.ts'
import { startDeadline } from '../request/start-deadline.ts'
import type { CompiledQuery } from '../sql/compile-query.ts'
import type { Introspect } from './introspect.ts'
import type { RunOptions, RunResult } from './run-result.ts'
import { runSnapshot } from './run-snapshot.ts'
import { runStatement } from './run-statement.ts'

/** Reads everything a compiled query needs. Throws if no root field can be answered. */
export async function runQuery(
  options: RunOptions & { readonly introspect: Introspect },
  {
    compiled: { read, introspection },
    variables,
    signal,
  }: {
    readonly compiled: CompiledQuery
    readonly variables: Values
    readonly signal: StopSignal | undefined
  },
): Promise<RunResult> {
  const introspected = introspection ? options.introspect(introspection) : {}
  if (read.kind === 'nothing') return { roots: [], errors: [], head: undefined, introspected }
  const deadline = startDeadline(options.timeoutMs, signal)
  try {
    const result =
      read.kind === 'statement'
        ? await runStatement(options, { read, variables, deadline })
        : await runSnapshot(options, { read, deadline })
    return { ...result, introspected }
  } finally {
    deadline.stop()
  }
}
