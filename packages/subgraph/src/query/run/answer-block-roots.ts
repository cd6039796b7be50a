import type { StopSignal } from '@tallystick/core/signal/create-abort'
import type { Queryable } from '@tallystick/database'
import type { Block } from '../../store/block.ts'
import { readHead } from '../../store/read-block.ts'
import { answerMeta } from '../answer/answer-meta.ts'
import { isPublicError, toErrorEntry } from '../answer/to-error-entry.ts'
import type { QueryEngineOptions } from '../create-query-engine.ts'
import { type ResolvedBlock, resolveBlock } from '../plan/block-constraint.ts'
import type { BlockRoot } from '../plan/plan-roots.ts'
import type { PlanContext } from '../plan/plan-selection.ts'
import type { ErrorEntry } from '../query-error.ts'
import { type Deadline, startDeadline } from '../request/start-deadline.ts'
import { compileRoot } from '../sql/compile-plan.ts'
import { answerInOne, notStarted } from './answer-in-one.ts'
import { type Run, readRows, resolveLevel } from './run-level.ts'

type Entries = readonly (readonly [string, unknown])[]
type Group = { readonly roots: readonly BlockRoot[]; readonly resolved: ResolvedBlock }
export type Reading = {
  readonly context: PlanContext
  readonly blockRoots: readonly BlockRoot[]
  readonly signal?: StopSignal | undefined
}

export type BlockAnswer = {
  /** Missing if nothing could be answered. `_meta` comes after the entities, as in graph-node. */
  readonly data: Entries | undefined
  readonly errors: readonly ErrorEntry[]
  readonly head: Block | undefined
}

/** Answers the root fields that need data from one state of the database, so that all levels fit together. */
export async function answerBlockRoots(options: QueryEngineOptions, reading: Reading): Promise<BlockAnswer> {
  if (reading.blockRoots.length === 0) return { data: [], errors: [], head: undefined }
  const deadline = startDeadline(options.timeoutMs, reading.signal)
  try {
    return await (answerInOne(options, { ...reading, ...deadline }) ??
      answerInMany(options, { ...reading, ...deadline }))
  } finally {
    deadline.stop()
  }
}

async function answerInMany(
  options: QueryEngineOptions,
  { context, blockRoots, signal, deadlineMs }: Reading & Pick<Deadline, 'signal' | 'deadlineMs'>,
): Promise<BlockAnswer> {
  const { database, layout } = options.store
  return database.snapshot(
    async (queryable) => {
      const head = await readHead(queryable, layout)
      if (!head) throw notStarted(options.deployment)
      const groups = await resolveGroups(queryable, { ...options, head, blockRoots })
      const budget = { rows: options.rowsMax }
      const run = { queryable, now: () => performance.now(), deadlineMs, rowsMax: options.rowsMax, budget, signal }
      return { ...(await answerGroups(options, { context, groups, run })), head }
    },
    { signal },
  )
}

/** Neighbours that ask for the same block are one group. A block that cannot be had fails the whole request. */
async function resolveGroups(
  queryable: Queryable,
  { store, deployment, head, blockRoots }: QueryEngineOptions & { readonly head: Block } & Pick<Reading, 'blockRoots'>,
): Promise<readonly Group[]> {
  const groups: { roots: BlockRoot[]; resolved: ResolvedBlock; key: string }[] = []
  for (const root of blockRoots) {
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

async function answerGroups(
  options: QueryEngineOptions,
  {
    context,
    groups,
    run,
  }: { readonly context: PlanContext; readonly groups: readonly Group[]; readonly run: Omit<Run, 'blockNumber'> },
): Promise<Omit<BlockAnswer, 'head'>> {
  const entities: [string, unknown][] = []
  const metas: [string, unknown][] = []
  const errors: ErrorEntry[] = []
  let answered = 0
  for (const group of groups) {
    try {
      const answers = await answerGroup(options, {
        context,
        group,
        run: { ...run, blockNumber: group.resolved.number },
      })
      for (const { kind, entry } of answers) (kind === 'meta' ? metas : entities).push(entry)
      answered += 1
    } catch (error) {
      // After a failed statement the transaction is over, and so is the request.
      if (!isPublicError(error)) throw error
      errors.push(toErrorEntry(error, options.onInternalError))
    }
  }
  return { data: answered > 0 ? [...entities, ...metas] : undefined, errors }
}

async function answerGroup(
  { api, store, deployment }: QueryEngineOptions,
  { context, group, run }: { readonly context: PlanContext; readonly group: Group; readonly run: Run },
): Promise<readonly { readonly kind: BlockRoot['kind']; readonly entry: [string, unknown] }[]> {
  const { resolved } = group
  const scope = { api, layout: store.layout, visibility: resolved.visibility }
  const compiled = group.roots.map((root) => (root.kind === 'meta' ? undefined : compileRoot(scope, root)))
  const answers: { kind: BlockRoot['kind']; entry: [string, unknown] }[] = []
  for (const [index, root] of group.roots.entries()) {
    const { key, kind } = root
    const plan = compiled[index]
    if (root.kind === 'meta') {
      answers.push({ kind, entry: [key, answerMeta(context, { nodes: root.nodes, resolved, deployment })] })
    } else if (plan) {
      const rows = await readRows(run, { statement: plan.statement })
      const outputs = await resolveLevel(run, { level: plan.level, rows })
      answers.push({ kind, entry: [key, root.kind === 'single' ? (outputs[0] ?? null) : outputs] })
    }
  }
  return answers
}
