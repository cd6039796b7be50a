import type { Head } from '../../store/block.ts'
import type { Store } from '../../store/open-store.ts'
import type { MetaRoot } from '../plan/plan-query.ts'
import type { ResolvedBlock } from './resolve-block.ts'

export type RunOptions = {
  readonly store: Store
  readonly deployment: string
  readonly timeoutMs: number
  readonly rowsMax: number
}

/** Result of a root field that needs data. A statement returns entities as JSON text, a snapshot as values. */
export type RootResult =
  | { readonly kind: 'json'; readonly key: string; readonly json: string }
  | { readonly kind: 'value'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'meta'; readonly meta: MetaRoot; readonly resolved: ResolvedBlock }

export type ReadResult = {
  /** Undefined if the root fields of every block failed. */
  readonly roots: readonly RootResult[] | undefined
  /** One for each block whose root fields failed. */
  readonly errors: readonly unknown[]
  /** Undefined if the store was not read. */
  readonly head: Head | undefined
}

export type RunResult = ReadResult & { readonly introspected: Readonly<Record<string, unknown>> }
