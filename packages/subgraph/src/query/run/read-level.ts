import type { StopSignal } from '@tallystick/base'
import type { Queryable } from '@tallystick/database'
import { createDecoder, type Row } from '../../store/decode-column.ts'
import type { Column } from '../../store/layout.ts'
import { locate, QueryError } from '../query-error.ts'
import { isReference, type Level, type Link } from '../sql/compile-root.ts'
import { blockSlot, parentIdsSlot, rowLimitSlot, type Statement } from '../sql/statement.ts'

type Output = Readonly<Record<string, unknown>>

/** State of a snapshot that reads levels. */
export type LevelRun = {
  readonly queryable: Queryable
  readonly blockNumber: number
  /** By `performance.now()`. */
  readonly deadlineMs: number
  readonly signal: StopSignal | undefined
  readonly rowsMax: number
  readonly budget: { rows: number }
}

export async function readRows(
  run: LevelRun,
  { statement, parentIds }: { readonly statement: Statement; readonly parentIds?: readonly string[] | undefined },
): Promise<readonly Row[]> {
  run.signal?.throwIfAborted()
  if (performance.now() > run.deadlineMs) throw new QueryError('Query timed out', { code: 'query_timeout' })
  const parameters = statement.parameters.map((value) => {
    if (value === parentIdsSlot) return parentIds
    if (value === blockSlot) return run.blockNumber
    return value === rowLimitSlot ? run.budget.rows + 1 : value
  })
  const rows = await run.queryable.query<Row>(statement.text, parameters)
  run.budget.rows -= rows.length
  if (run.budget.rows < 0) throw tooManyEntities(run.rowsMax)
  return rows
}

function tooManyEntities(rowsMax: number): QueryError {
  return new QueryError(`The answer has more than ${rowsMax} entities. Use a smaller \`first\`, or several queries.`)
}

/** Converts the rows of a level to objects, and reads each nested level with one statement. */
export async function readLevel(
  run: LevelRun,
  { level, rows }: { readonly level: Level; readonly rows: readonly Row[] },
): Promise<readonly Output[]> {
  const linked = new Map<string, (row: Row) => unknown>()
  for (const [key, link] of level.links) linked.set(key, await resolveLink(run, { level, link, rows }))
  return toOutputs(level, { rows, linked })
}

function toOutputs(
  { plan: { fields, entity }, columns }: Level,
  { rows, linked }: { readonly rows: readonly Row[]; readonly linked: ReadonlyMap<string, (row: Row) => unknown> },
): readonly Output[] {
  const positions = new Map(columns.map(({ field }, index) => [field.name, index]))
  const readers = fields.map((field): readonly [string, (row: Row) => unknown] => {
    if (field.kind === 'typename') return [field.key, () => entity.name]
    if (field.kind === 'link') return [field.key, linked.get(field.key) ?? (() => undefined)]
    const index = positions.get(field.field.name) ?? 0
    const name = `c${index}`
    const decode = createDecoder(columns[index] as Column)
    return [field.key, (row) => decode(row[name])]
  })
  return rows.map((row) => Object.fromEntries(readers.map(([key, read]) => [key, read(row)])))
}

/**
 * Reads the entities that a link points at, for all rows. The row of a single reference has the id of its child. Otherwise a
 * child has the id of its row.
 */
async function resolveLink(
  run: LevelRun,
  { level, link, rows }: { readonly level: Level; readonly link: Link; readonly rows: readonly Row[] },
): Promise<(row: Row) => unknown> {
  const { field, node, target } = link.plan
  const isSingle = isReference(link.plan)
  const key = isSingle ? `c${level.columns.findIndex((column) => column.field.name === field.name)}` : 'c0'
  const childKey = isSingle ? 'c0' : 'parent'
  const parentIds = [...new Set(rows.map((row) => row[key]))].filter((id) => typeof id === 'string')
  const children = parentIds.length === 0 ? [] : await readRows(run, { statement: link.statement, parentIds })
  const outputs = await readLevel(run, { level: link.level, rows: children })
  const byParent = new Map<unknown, Output[]>(parentIds.map((id) => [id, []]))
  for (const [index, child] of children.entries()) byParent.get(child[childKey])?.push(outputs[index] as Output)
  if (field.isList) return (row) => byParent.get(row[key]) ?? []
  return (row) => {
    const found = byParent.get(row[key]) ?? []
    if (found.length > 1 && field.kind === 'derived') {
      throw new QueryError(
        `Ambiguous result for derived field \`${field.name}\`: Multiple \`${target.entity.name}\` entities refer back via \`${field.from}\``,
        { locations: locate(node) },
      )
    }
    if (found.length === 0 && field.isRequired) {
      throw new QueryError(`Null value resolved for non-null field \`${field.name}\``, { locations: locate(node) })
    }
    return found[0] ?? null
  }
}
