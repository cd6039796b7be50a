import type { Queryable } from '@tallystick/database'
import { type Head, openEnd } from './block.ts'
import type { EncodedFields } from './collect-changes.ts'
import { formatArray } from './encode-value.ts'
import { getColumn, type Table } from './layout.ts'

/** Rows of the head by the text of the id. Undefined if there is no such entity. */
export type CurrentRows = ReadonlyMap<string, EncodedFields | undefined>

/** Head after a commit, and the rows that the commit wrote or removed, so that nobody has to read them again. */
export type Committed = { readonly head: Head | undefined; readonly rows: ReadonlyMap<Table, CurrentRows> }

/** Returns the rows of a commit if they are still those of the head: each replacement of blocks has another revision. */
export function rowsAt(head: Head | undefined, committed: Committed | undefined): Committed['rows'] {
  const isSame = head && head.hash === committed?.head?.hash && head.revision === committed.head.revision
  return isSame ? committed.rows : new Map()
}

type Wanted = {
  readonly table: Table
  readonly ids: readonly string[]
  /** Rows that need not be read. */
  readonly known: CurrentRows | undefined
}

/** Reads rows of the head by id. The result also has the known rows. */
export async function readCurrent(queryable: Queryable, { table, ids, known }: Wanted): Promise<CurrentRows> {
  const current = new Map(ids.filter((id) => known?.has(id)).map((id) => [id, known?.get(id)]))
  const unknown = ids.filter((id) => !current.has(id))
  if (unknown.length === 0) return current
  const columns = [...table.columns.values()]
  const rows = await queryable.query<Record<string, string | null>>(
    `select ${columns.map(({ name }, index) => `${name}::text as c${index}`).join(', ')} from ${table.name}
     where "$to" = ${openEnd} and "id" = any($1::text::${table.idType}[])`,
    [formatArray(unknown)],
  )
  const { position } = getColumn(table, 'id')
  const aliases = columns.map((_, index) => `c${index}`)
  for (const row of rows) {
    const fields = aliases.map((alias) => row[alias] ?? null)
    current.set(fields[position] ?? '', fields)
  }
  return current
}
