import type { Queryable } from '@tallystick/database'
import type { Block } from '../../store/block.ts'
import { readHead } from '../../store/read-block.ts'
import { isPublicError } from '../query-error.ts'
import type { Deadline } from '../request/start-deadline.ts'
import type { CompiledRead, SnapshotRoot } from '../sql/compile-query.ts'
import { notStarted } from './not-started.ts'
import { type LevelRun, readLevel, readRows } from './read-level.ts'
import { type ResolvedBlock, resolveBlock } from './resolve-block.ts'
import type { ReadResult, RootResult, RunOptions } from './run-result.ts'

/** Neighbouring root fields at the same block. */
type Group = { readonly roots: readonly SnapshotRoot[]; readonly resolved: ResolvedBlock }

/** Runs a plan of several statements in one snapshot, so that all levels have the same state. */
export async function runSnapshot(
  options: RunOptions,
  {
    read: { roots },
    deadline: { signal, deadlineMs },
  }: { readonly read: Extract<CompiledRead, { kind: 'snapshot' }>; readonly deadline: Deadline },
): Promise<ReadResult> {
  const { store, deployment, rowsMax } = options
  return store.database.snapshot(
    async (queryable) => {
      const head = await readHead(queryable, store.layout)
      if (!head) throw notStarted(deployment)
      const groups = await resolveGroups(queryable, { options, head, roots })
      const run = { queryable, deadlineMs, signal, rowsMax, budget: { rows: rowsMax } }
      return { ...(await runGroups(run, groups)), head }
    },
    { signal },
  )
}

/** Groups root fields by block. Throws if one of the blocks is not available. */
async function resolveGroups(
  queryable: Queryable,
  {
    options: { store, deployment },
    head,
    roots,
  }: { readonly options: RunOptions; readonly head: Block; readonly roots: readonly SnapshotRoot[] },
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
    const constraint = root.block
    const resolved = known ?? (await resolveBlock(queryable, { layout: store.layout, deployment, head, constraint }))
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
