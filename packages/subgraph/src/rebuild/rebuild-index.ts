import type { Database, Queryable } from '@tallystick/database'
import type { FollowerLog, Mapping, MappingContext, OpenMapping } from '../follow/mapping.ts'
import { pause } from '../follow/pause.ts'
import { type Follower, type FollowerOptions, startFollower } from '../follow/start-follower.ts'
import { apiSchemaOf } from '../schema/api-schema.ts'
import type { Head } from '../store/block.ts'
import { createLayout, type Layout } from '../store/layout.ts'
import { dropNamespace, raiseRevision, replaceNamespace } from '../store/replace-namespace.ts'
import { openSubgraph, type Subgraph } from '../subgraph.ts'
import { SubgraphError } from '../subgraph-error.ts'

/** `replacing` waits until no query reads the old index. */
export type RebuildStep = 'indexing' | 'checking' | 'replacing'

type RebuildProgress = {
  readonly step: RebuildStep
  /** Head of the new index. */
  readonly block: number | undefined
  readonly chainHead: number | undefined
  /** Why it does not advance. It is retried. */
  readonly problem: string | undefined
}

export type RebuildOptions = Pick<
  FollowerOptions,
  'chainId' | 'urls' | 'mapping' | 'startBlock' | 'maxReorgDepth' | 'log' | 'time' | 'rpcRetryMs'
> & {
  readonly database: Database
  readonly schema: string
  /** Index to replace. */
  readonly namespace: string
  /** Compares the new index with the chain before it replaces the old one. Throws if it is wrong. */
  readonly verify: (draft: Subgraph) => Promise<void>
  /** Runs in the transaction that replaces the index. */
  readonly record?: ((transaction: Queryable, head: Head) => Promise<void>) | undefined
  readonly onProgress: (progress: RebuildProgress) => void
  /** Aborts the rebuild. The old index stays. */
  readonly signal: AbortSignal
  /** Time for which the follower may fail without a new block until the rebuild fails, 5 min by default. */
  readonly stalledMs?: number | undefined
}

type Draft = RebuildOptions & {
  readonly draft: Subgraph
  readonly follower: Follower
  readonly layouts: { readonly draft: Layout; readonly current: Layout }
  readonly failure: () => Error | undefined
}

const stalledMsDefault = 300_000
const pollMs = 250
// Long enough for a few attempts of a follower to repair its index.
const repairMs = 10_000
// Servers of one chain differ by a few blocks. An index further ahead than this is of another chain.
const aheadMax = 8
// A backup reads all tables for minutes. Each attempt delays queries for a moment.
const attemptMsMax = 10_000

/**
 * Indexes a chain again beside its index and replaces that in one transaction, so that the old index serves until the new
 * one is complete. The follower of the old index goes on with the new one. If it fails, the old index stays as it is.
 */
export async function rebuildIndex(options: RebuildOptions): Promise<Head> {
  const { database, schema, namespace } = options
  const { model } = apiSchemaOf(schema)
  const layouts = {
    current: createLayout(model, namespace),
    draft: createLayout(model, `${namespace}_new`),
  }
  const lock = await database.tryLock(`rebuild ${namespace}`)
  if (!lock) {
    const message = `The index "${namespace}" is being rebuilt already.`
    throw new SubgraphError({ code: 'rebuild_running', message })
  }
  const signal = AbortSignal.any([options.signal, lock.lost])
  try {
    return await build({ ...options, signal }, layouts)
  } catch (error) {
    throw lock.lost.aborted ? lostDatabase(error) : error
  } finally {
    await lock.release()
  }
}

async function build(options: RebuildOptions, layouts: Draft['layouts']): Promise<Head> {
  const { database, schema, namespace, signal } = options
  await openSubgraph({ database, schema, namespace })
  // A rebuild that was killed leaves its draft.
  await dropNamespace(database, layouts.draft)
  const name = layouts.draft.namespace
  const draft = await openSubgraph({ database, schema, namespace: name })
  await raiseRevision(database, layouts)
  const watched = watchMapping(options.mapping)
  const { log, mute } = createMutableLog(options.log)
  const follower = startFollower({
    subgraph: draft,
    database,
    name,
    chainId: options.chainId,
    urls: options.urls,
    mapping: watched.mapping,
    startBlock: options.startBlock,
    maxReorgDepth: options.maxReorgDepth,
    log,
    time: options.time,
    rpcRetryMs: options.rpcRetryMs,
  })
  const parts = { ...options, draft, follower, layouts, failure: watched.failure }
  try {
    await untilCurrent(parts)
    report(parts, 'checking')
    await options.verify(draft)
    signal.throwIfAborted()
    const head = await replace(parts)
    mute()
    return head
  } catch (error) {
    mute()
    await follower.stop()
    // If the database is away, the next rebuild drops it.
    await dropNamespace(database, layouts.draft).catch(() => undefined)
    throw error
  } finally {
    await follower.stop()
  }
}

/** Waits until the draft has every block of the chain. */
async function untilCurrent(parts: Draft): Promise<void> {
  const { follower, draft, signal, time, stalledMs = stalledMsDefault } = parts
  let lookedAtMs = performance.now()
  let stored = -1
  let failingMs = 0
  let faultyMs = 0
  for (;;) {
    signal.throwIfAborted()
    const failure = parts.failure()
    if (failure) throw failure
    report(parts, 'indexing')
    const { state, head, lagBlocks, problem } = follower.status()
    const isCurrent = state === 'following' && lagBlocks === 0
    // The follower repairs what an RPC left out. If it cannot, the check says what is wrong.
    if (isCurrent && (draft.head?.fault === undefined || faultyMs > repairMs)) return
    const passedMs = performance.now() - lookedAtMs
    lookedAtMs += passedMs
    faultyMs = isCurrent ? faultyMs + passedMs : 0
    // A long range without logs stores no block, and is no failure.
    failingMs = head && head.number > stored ? 0 : failingMs + (state === 'failing' ? passedMs : 0)
    stored = head?.number ?? stored
    if (failingMs > stalledMs) throw stalled(problem ?? '')
    await pause(pollMs, [signal], time)
  }
}

async function replace(parts: Draft): Promise<Head> {
  const { database, draft, layouts, record, signal, time, stalledMs = stalledMsDefault } = parts
  // The indexes of the attributes are created with the first block near the head, if there was one.
  await draft.commitMany([], { isIndexed: true })
  const startedAtMs = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    const result = await replaceNamespace(database, {
      draft: layouts.draft,
      current: layouts.current,
      record,
      isReady: (heads) => isReady(parts, heads),
    })
    if (typeof result === 'object') return result.head
    if (draft.head?.fault !== undefined && performance.now() - startedAtMs > stalledMs) throw stalled(draft.head.fault)
    const waits = 'Waiting for queries or a backup that read the old index.'
    report(parts, 'replacing', result === 'busy' && attempt > 1 ? waits : undefined)
    if (result === 'busy') await pause(Math.min(attempt * 100, attemptMsMax), [signal])
    else await pause(pollMs, [signal], time)
  }
}

/** The head must not go back, unless the old index is of another chain. */
function isReady(
  { follower }: Draft,
  { draft, current }: { readonly draft: Head; readonly current: Head | undefined },
): boolean {
  const chainHead = follower.status().chainHead?.number ?? draft.number
  return !current || draft.number >= current.number || current.number > chainHead + aheadMax
}

function report({ follower, onProgress }: Draft, step: RebuildStep, waits?: string): void {
  const { head, chainHead, problem } = follower.status()
  onProgress({ step, block: head?.number, chainHead: chainHead?.number, problem: waits ?? problem })
}

/** The draft's follower fails between the replacement and its stop: its tables have another name then. */
function createMutableLog(log: FollowerLog) {
  let isMuted = false
  const writeAt =
    (level: keyof FollowerLog): FollowerLog[typeof level] =>
    (details, message) => {
      if (!isMuted) log[level](details, message)
    }
  return {
    log: { info: writeAt('info'), warn: writeAt('warn'), error: writeAt('error') },
    mute: () => {
      isMuted = true
    },
  }
}

function lostDatabase(cause: unknown): SubgraphError {
  const message = 'The connection to the database was lost during the rebuild.'
  return new SubgraphError({ code: 'rebuild_failed', message, cause })
}

function stalled(problem: string): SubgraphError {
  return new SubgraphError({ code: 'rebuild_failed', message: `The new index does not advance. ${problem}` })
}

// A follower reads the logs again, from another RPC if there is one.
const refusalsMax = 5

/** Watches whether a mapping refuses the same log again and again. A follower would retry for ever. */
function watchMapping(mapping: Mapping | OpenMapping) {
  let refused = { message: '', count: 0 }
  const watch = (opened: Mapping): Mapping => ({
    ...opened,
    map: (...mapped) =>
      opened.map(...mapped).catch((error) => {
        if (error instanceof SubgraphError && error.code === 'unmappable_log') {
          const { message } = error
          refused = { message, count: message === refused.message ? refused.count + 1 : 1 }
        }
        throw error
      }),
  })
  return {
    mapping: async (context: MappingContext) => watch(typeof mapping === 'function' ? await mapping(context) : mapping),
    /** Returns why the logs cannot be mapped: the index started too late, or an RPC left logs out. */
    failure: () =>
      refused.count < refusalsMax ? undefined : new SubgraphError({ code: 'rebuild_failed', message: refused.message }),
  }
}
