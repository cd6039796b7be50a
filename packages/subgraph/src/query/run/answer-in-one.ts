import type { StopSignal } from '@tallystick/core/signal/create-abort'
import type { Row } from '../../store/decode-column.ts'
import { type BlockRow, toBlock } from '../../store/read-block.ts'
import { answerMeta } from '../answer/answer-meta.ts'
import type { QueryEngineOptions } from '../create-query-engine.ts'
import type { BlockRoot } from '../plan/plan-roots.ts'
import { QueryError } from '../query-error.ts'
import { type CompiledRoot, compileRootWithHead } from '../sql/compile-plan.ts'
import type { BlockAnswer, Reading } from './answer-block-roots.ts'
import { readOutputs, tooManyEntities } from './run-level.ts'

type DataRoot = Exclude<BlockRoot, { kind: 'meta' }>
type ReadingInOne = Reading & { readonly signal: StopSignal }

/**
 * Answers a query that needs one statement in one round trip, the head included: a statement is a snapshot by itself.
 * That is most of what is asked. Undefined if the query needs more.
 */
export function answerInOne(options: QueryEngineOptions, reading: ReadingInOne): Promise<BlockAnswer> | undefined {
  const { blockRoots } = reading
  if (blockRoots.some(({ block }) => block.kind !== 'latest')) return undefined
  const [root, second] = blockRoots.filter((candidate): candidate is DataRoot => candidate.kind !== 'meta')
  if (!root || second || root.plan.fields.some(({ kind }) => kind === 'link')) return undefined
  const scope = { api: options.api, layout: options.store.layout, visibility: { kind: 'head' } } as const
  return read(options, { ...reading, root, compiled: compileRootWithHead(scope, root) })
}

export function notStarted(deployment: string): QueryError {
  return new QueryError(
    `subgraph ${deployment} has not started syncing yet. Wait for it to ingest a few blocks before querying it`,
  )
}

async function read(
  { store, deployment, rowsMax }: QueryEngineOptions,
  {
    context,
    blockRoots,
    signal,
    root: { key, kind },
    compiled: { statement, level },
  }: ReadingInOne & { readonly root: DataRoot; readonly compiled: CompiledRoot },
): Promise<BlockAnswer> {
  const { text, parameters } = statement
  const rows = await store.database.read<BlockRow & Row>(text, parameters, { signal, isFrequent: true })
  const [first] = rows
  if (!first) throw notStarted(deployment)
  // Where nothing fits, the head stands alone; an entity has always an id.
  const outputs = readOutputs(level, { rows: first['c0'] === null ? [] : rows, linked: new Map() })
  if (outputs.length > rowsMax) throw tooManyEntities(rowsMax)
  const head = toBlock(first)
  const resolved = { visibility: { kind: 'head' }, number: head.number, block: head } as const
  const metas = blockRoots.flatMap((meta): [string, unknown][] =>
    meta.kind === 'meta' ? [[meta.key, answerMeta(context, { nodes: meta.nodes, resolved, deployment })]] : [],
  )
  return { data: [[key, kind === 'single' ? (outputs[0] ?? null) : outputs], ...metas], errors: [], head }
}
