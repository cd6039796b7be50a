import type { Transaction } from '@tallystick/database'
import { openEnd } from './block.ts'
import { type EncodedFields, mergeFields, type Operation, refuse, type TableChanges } from './collect-changes.ts'
import { type CurrentRows, readCurrent } from './current-rows.ts'
import { formatArray, formatIntegers, formatRow } from './encode-value.ts'
import type { Table } from './layout.ts'

type Version = { readonly fields: EncodedFields; readonly from: number; to: number }
type Closing = { readonly id: string; readonly block: number }

/** Writes the changes of any number of blocks to one table: it reads, closes and inserts. Returns the last rows. */
export async function writeTable(
  transaction: Transaction,
  {
    table,
    changes,
    known,
  }: { readonly table: Table; readonly changes: TableChanges; readonly known: CurrentRows | undefined },
): Promise<CurrentRows> {
  const current = await readCurrent(transaction, { table, ids: [...changes.keys()], known })
  const last = new Map<string, EncodedFields | undefined>()
  const closings: Closing[] = []
  const versions: Version[] = []
  for (const [id, operations] of changes) {
    last.set(id, planVersions(table, { id, operations, current: current.get(id), closings, versions }))
  }
  await closeVersions(transaction, { table, closings })
  await insertVersions(transaction, { table, versions })
  return last
}

function planVersions(
  table: Table,
  plan: {
    readonly id: string
    readonly operations: readonly Operation[]
    readonly current: EncodedFields | undefined
    readonly closings: Closing[]
    readonly versions: Version[]
  },
): EncodedFields | undefined {
  let current = plan.current
  let open: Version | undefined
  for (const operation of plan.operations) {
    const { block } = operation
    const next = apply(table, { id: plan.id, current, operation })
    // As in graph-node, a change without effect creates no version, so `_change_block` does not include it.
    if (areEqual(current, next)) continue
    if (open) open.to = block
    else if (current) plan.closings.push({ id: plan.id, block })
    open = next && { fields: next, from: block, to: openEnd }
    if (open) plan.versions.push(open)
    current = next
  }
  return current
}

function apply(
  table: Table,
  {
    id,
    current,
    operation,
  }: { readonly id: string; readonly current: EncodedFields | undefined; readonly operation: Operation },
): EncodedFields | undefined {
  if (operation.kind === 'remove') return undefined
  const inherited = operation.kind === 'merge' ? current : undefined
  if (inherited) return mergeFields(inherited, operation.fields)
  for (const { field, position } of table.columns.values()) {
    if (field.isRequired && (operation.fields[position] ?? null) === null) {
      throw refuse({ entity: table.entity.name, id }, `a new entity needs the required field ${field.name}`)
    }
  }
  return operation.fields
}

function areEqual(a: EncodedFields | undefined, b: EncodedFields | undefined): boolean {
  if (!a || !b) return a === b
  return a.every((value, position) => (value ?? null) === (b[position] ?? null))
}

async function closeVersions(
  transaction: Transaction,
  { table, closings }: { readonly table: Table; readonly closings: readonly Closing[] },
): Promise<void> {
  if (closings.length === 0) return
  await transaction.query(
    `update ${table.name} as t set "$to" = c.block
     from unnest($1::text::${table.idType}[], $2::text::int4[]) as c(id, block)
     where t."id" = c.id and t."$to" = ${openEnd}`,
    [formatArray(closings.map(({ id }) => id)), formatIntegers(closings.map(({ block }) => block))],
  )
}

async function insertVersions(
  transaction: Transaction,
  { table, versions }: { readonly table: Table; readonly versions: readonly Version[] },
): Promise<void> {
  if (versions.length === 0) return
  const names = [...table.columns.values()].map(({ name }) => name).join(', ')
  const rows = versions.map(({ fields, from, to }) => formatRow([...fields, String(from), String(to)]))
  await transaction.copy(`copy ${table.name} (${names}, "$from", "$to") from stdin`, rows.join(''))
}
