import type { Head } from '../../store/block.ts'
import type { MetaField, QueryPlan } from '../plan/plan-query.ts'
import type { QueryFailureCode } from '../query-error.ts'
import type { ResolvedBlock } from '../run/resolve-block.ts'
import type { RootResult, RunResult } from '../run/run-query.ts'
import type { ErrorEntry, Failure } from './describe-failure.ts'

/** Answer to a query, with its data as JSON text. */
export type Answer = {
  readonly data: string | undefined
  readonly errors: readonly ErrorEntry[] | undefined
  /** Why there is no data. Undefined if there is. */
  readonly failure: { readonly code: QueryFailureCode } | undefined
  /** Head of the store when it was read. Undefined if the query did not read it, or failed. */
  readonly head: Head | undefined
}

type AnswerOptions = {
  readonly deployment: string
  readonly describe: (error: unknown) => Failure
}

/** Writes the answer: entities in the order of the query, then `_meta`, `__typename` and introspection, as graph-node. */
export function writeAnswer(
  { deployment, describe }: AnswerOptions,
  {
    plan: { typenameKeys },
    result: { roots, errors, head, introspected },
  }: { readonly plan: Pick<QueryPlan, 'typenameKeys'>; readonly result: RunResult },
): Answer {
  const failures = errors.map(describe)
  if (!roots) return writeFailures(failures, head)
  const members = [
    ...roots.flatMap((root) => (root.kind === 'meta' ? [] : [writeEntities(root)])),
    ...roots.flatMap((root) => {
      if (root.kind !== 'meta') return []
      const { meta, resolved } = root
      const index = { deployment, hasIndexingErrors: head?.fault !== undefined }
      const source = { __typename: '_Meta_', ...index, block: describeBlock(resolved) }
      return [writeMember(meta.key, select(meta.fields, source))]
    }),
    ...typenameKeys.map((key) => writeMember(key, 'Query')),
    ...Object.entries(introspected).map(([key, value]) => writeMember(key, value)),
  ]
  const entries = failures.length > 0 ? failures.map(({ entry }) => entry) : undefined
  return { data: `{${members.join(',')}}`, errors: entries, failure: undefined, head }
}

/** Writes an answer without data. A failure that is not the query's fault decides its code. */
export function writeFailures(failures: readonly Failure[], head?: Head): Answer {
  const code = failures.find((failure) => failure.code !== 'invalid_query')?.code ?? 'invalid_query'
  return { data: undefined, errors: failures.map(({ entry }) => entry), failure: { code }, head }
}

function writeEntities(root: Exclude<RootResult, { kind: 'meta' }>): string {
  return root.kind === 'json' ? `"${root.key}":${root.json}` : writeMember(root.key, root.value)
}

/** GraphQL names need no escapes in JSON. */
function writeMember(key: string, value: unknown): string {
  return `"${key}":${JSON.stringify(value)}`
}

type Source = { readonly [name: string]: unknown }

/** Returns the block of `_meta`. For a block given by number, hash and timestamp are null, as in graph-node. */
function describeBlock({ number, block }: ResolvedBlock): Source {
  return {
    __typename: '_Block_',
    number,
    hash: block?.hash ?? null,
    timestamp: block?.timestamp ?? null,
    parentHash: block?.parentHash ?? null,
  }
}

function select(selected: readonly MetaField[], source: Source): unknown {
  return Object.fromEntries(
    selected.map(({ key, name, fields }) => {
      const value = source[name]
      const isObject = typeof value === 'object' && value !== null
      return [key, isObject ? select(fields, value as Source) : value]
    }),
  )
}
