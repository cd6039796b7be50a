import type { ApiSchema } from '../../schema/api-schema.ts'
import type { Layout } from '../../store/layout.ts'
import { headSql } from '../../store/read-block.ts'
import type { EntityRoot, MetaRoot, QueryPlan, ReadPlan } from '../plan/plan-query.ts'
import { compileJsonRoot, type JsonStatement } from './compile-json-root.ts'
import { type CompiledRoot, compileRoot } from './compile-root.ts'
import type { Visibility } from './statement.ts'

/** Root field of a snapshot. The block that it reads is known only inside the snapshot, and decides its SQL. */
export type SnapshotRoot = MetaRoot | (EntityRoot & { readonly compileAt: (visibility: Visibility) => CompiledRoot })

/** `ReadPlan` with its SQL. */
export type CompiledRead =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'statement'
      readonly statement: JsonStatement
      /** Response key of the entities, if there are any. */
      readonly key: string | undefined
      readonly metas: readonly MetaRoot[]
    }
  | { readonly kind: 'snapshot'; readonly roots: readonly SnapshotRoot[] }

export type CompiledQuery = Omit<QueryPlan, 'read'> & { readonly read: CompiledRead }

export type CompileOptions = { readonly api: ApiSchema; readonly layout: Layout }

export function compileQuery(options: CompileOptions, plan: QueryPlan): CompiledQuery {
  return { ...plan, read: compileRead(options, plan.read) }
}

function compileRead({ api, layout }: CompileOptions, read: ReadPlan): CompiledRead {
  switch (read.kind) {
    case 'nothing':
      return read
    case 'statement': {
      const { root, metas } = read
      const statement: JsonStatement = root
        ? compileJsonRoot({ api, layout, visibility: 'head' }, root)
        : { text: headSql(layout), parameters: [], jsonIfNull: 'null' }
      return { kind: 'statement', statement, key: root?.key, metas }
    }
    case 'snapshot': {
      const roots = read.roots.map((root) => {
        if (root.kind === 'meta') return root
        const compileAt = (visibility: Visibility) => compileRoot({ api, layout, visibility }, root)
        return { ...root, compileAt }
      })
      return { kind: 'snapshot', roots }
    }
  }
}
