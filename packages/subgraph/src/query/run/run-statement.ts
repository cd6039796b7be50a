import { type HeadRow, toHead } from '../../store/read-block.ts'
import type { Values } from '../request/coerce-arguments.ts'
import type { Deadline } from '../request/start-deadline.ts'
import type { CompiledRead } from '../sql/compile-query.ts'
import { fillSlots } from '../sql/statement.ts'
import { notStarted } from './not-started.ts'
import { resolveHead } from './resolve-block.ts'
import type { ReadResult, RootResult, RunOptions } from './run-result.ts'

/** Runs a plan of one statement. It needs no transaction: a statement reads one snapshot, the head included. */
export async function runStatement(
  { store, deployment }: RunOptions,
  {
    read: { statement, key, metas },
    variables,
    deadline: { signal },
  }: {
    readonly read: Extract<CompiledRead, { kind: 'statement' }>
    readonly variables: Values
    readonly deadline: Deadline
  },
): Promise<ReadResult> {
  const parameters = fillSlots(statement.parameters, variables)
  const options = { signal, isFrequent: true }
  const [row] = await store.database.read<HeadRow & { json?: string | null }>(statement.text, parameters, options)
  if (!row) throw notStarted(deployment)
  const head = toHead(row)
  const resolved = resolveHead(head)
  const roots: RootResult[] = metas.map((meta) => ({ kind: 'meta', meta, resolved }))
  if (key !== undefined) roots.push({ kind: 'json', key, json: row.json ?? statement.jsonIfNull })
  return { roots, errors: [], head }
}
