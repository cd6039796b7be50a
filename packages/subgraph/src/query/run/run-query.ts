import { createAbort, type StopSignal } from '@tallystick/base'
import type { Database, Queryable } from '@tallystick/database'
import type { Head } from '../../store/block.ts'
import { type HeadRow, type Layout, readHead, toHead } from '../../store/layout.ts'
import type { MetaRoot } from '../plan/plan-query.ts'
import { isPublicError, QueryError } from '../query-error.ts'
import type { Values } from '../request/coerce-arguments.ts'
import type { CompiledQuery, CompiledRead, SnapshotRoot } from '../sql/create-compiler.ts'
import { fillSlots } from '../sql/statement.ts'
import type { Introspect } from './introspect.ts'
import { type LevelRun, readLevel, readRows } from './read-level.ts'
import { type BlockOptions, type ResolvedBlock, resolveBlock } from './resolve-block.ts'

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
        : await runSnapshot(options, { read, variables, deadline })
    return { ...result, introspected }
  } finally {
    deadline.stop()
  }
}

type Reading<Kind extends CompiledRead['kind']> = {
  readonly read: Extract<CompiledRead, { kind: Kind }>
  readonly variables: Values
  readonly deadline: Deadline
}

/** Runs a plan of one statement. It needs no transaction: a statement reads one snapshot, the head included. */
async function runStatement(
  { database, deployment }: RunOptions,
  { read: { statement, key, metas }, variables, deadline: { signal } }: Reading<'statement'>,
): Promise<ReadResult> {
  const parameters = fillSlots(statement.parameters, variables)
  const options = { signal, isFrequent: true }
  const [row] = await database.read<HeadRow & { json?: string | null }>(statement.text, parameters, options)
  if (!row) throw notStarted(deployment)
  const head = toHead(row)
  const resolved: ResolvedBlock = { visibility: 'head', number: head.number, block: head }
  const roots: RootResult[] = metas.map((meta) => ({ kind: 'meta', meta, resolved }))
  if (key !== undefined) roots.push({ kind: 'json', key, json: row.json ?? statement.jsonIfNull })
  return { roots, errors: [], head }
}

/** Neighbouring root fields at the same block. */
type Group = { readonly roots: readonly SnapshotRoot[]; readonly resolved: ResolvedBlock }

/** Runs a plan of several statements in one snapshot, so that all levels have the same state. */
async function runSnapshot(
  options: RunOptions,
  { read: { roots }, deadline: { signal, deadlineMs } }: Reading<'snapshot'>,
): Promise<ReadResult> {
  const { database, layout, deployment, rowsMax } = options
  return database.snapshot(
    async (queryable) => {
      const head = await readHead(queryable, layout)
      if (!head) throw notStarted(deployment)
      const groups = await resolveGroups(queryable, { layout, deployment, head, roots })
      const run = { queryable, deadlineMs, signal, rowsMax, budget: { rows: rowsMax } }
      return { ...(await runGroups(run, groups)), head }
    },
    { signal },
  )
}

/** Groups root fields by block. Throws if one of the blocks is not available. */
async function resolveGroups(
  queryable: Queryable,
  { roots, ...options }: Omit<BlockOptions, 'constraint'> & { readonly roots: readonly SnapshotRoot[] },
): Promise<readonly Group[]> {
  const groups: { roots: SnapshotRoot[]; resolved: ResolvedBlock; key: string }[] = []
  for (const root of roots) {
    const key = JSON.stringify(root.block)
    const last = groups.at(-1)
    if (last?.key === key) {
      last.roots.push(root)
      continue
    }
    const known = groups.find((group) => group.key === key)?.resolved
    const resolved = known ?? (await resolveBlock(queryable, { ...options, constraint: root.block }))
    groups.push({ roots: [root], resolved, key })
  }
  return groups
}

async function runGroups(
  run: Omit<LevelRun, 'blockNumber'>,
  groups: readonly Group[],
): Promise<Omit<ReadResult, 'head'>> {
  const results: RootResult[] = []
  const errors: unknown[] = []
  for (const group of groups) {
    try {
      results.push(...(await runGroup({ ...run, blockNumber: group.resolved.number }, group)))
    } catch (error) {
      // After a failed statement the transaction is aborted, so the whole query fails.
      if (!isPublicError(error)) throw error
      errors.push(error)
    }
  }
  return { roots: errors.length < groups.length ? results : undefined, errors }
}

/** Compiles all root fields of a group before it runs the first, so that a wrong argument fails without a read. */
async function runGroup(run: LevelRun, { roots, resolved }: Group): Promise<readonly RootResult[]> {
  const reads = roots.map((root): (() => RootResult | Promise<RootResult>) => {
    if (root.kind === 'meta') return () => ({ kind: 'meta', meta: root, resolved })
    const { statement, level } = root.compileAt(resolved.visibility)
    return async () => {
      const entities = await readLevel(run, { level, rows: await readRows(run, { statement }) })
      return { kind: 'value', key: root.key, value: root.kind === 'single' ? (entities[0] ?? null) : entities }
    }
  })
  const results: RootResult[] = []
  for (const read of reads) results.push(await read())
  return results
}

/** Creates the error for a store without blocks. */
function notStarted(deployment: string): QueryError {
  return new QueryError(
    `subgraph ${deployment} has not started syncing yet. Wait for it to ingest a few blocks before querying it`,
    { code: 'not_started' },
  )
}

type Deadline = {
  /** By `performance.now()`. */
  readonly deadlineMs: number
  /** Aborted at the deadline, or together with the caller's signal. */
  readonly signal: StopSignal
  stop(): void
}

/** Starts the time limit of a query. It does not use `AbortSignal.any`, which leaks memory in Node 20. */
export function startDeadline(timeoutMs: number, outer: StopSignal | undefined): Deadline {
  const { signal, abort: abortWith } = createAbort()
  const abort = () => abortWith()
  const timer = setTimeout(abort, timeoutMs)
  outer?.addEventListener('abort', abort, { once: true })
  if (outer?.aborted) abort()
  return {
    deadlineMs: performance.now() + timeoutMs,
    signal,
    stop: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
  }
}

export type RunOptions = {
  readonly database: Database
  readonly layout: Layout
  readonly deployment: string
  readonly timeoutMs: number
  readonly rowsMax: number
}

/** Result of a root field that needs data. A statement returns entities as JSON text, a snapshot as values. */
export type RootResult =
  | { readonly kind: 'json'; readonly key: string; readonly json: string }
  | { readonly kind: 'value'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'meta'; readonly meta: MetaRoot; readonly resolved: ResolvedBlock }

type ReadResult = {
  /** Undefined if the root fields of every block failed. */
  readonly roots: readonly RootResult[] | undefined
  /** One for each block whose root fields failed. */
  readonly errors: readonly unknown[]
  /** Undefined if the store was not read. */
  readonly head: Head | undefined
}

export type RunResult = ReadResult & { readonly introspected: Readonly<Record<string, unknown>> }
