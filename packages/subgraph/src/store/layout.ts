import type { Queryable } from '@tallystick/database'
import {
  type Entity,
  type EntityModel,
  type Scalar,
  type StoredField,
  storageScalar,
  storedFieldsOf,
} from '../schema/entity-model.ts'
import { SubgraphError } from '../subgraph-error.ts'
import type { Block, Head } from './block.ts'

export type Column = {
  readonly field: StoredField
  /** Position among the columns of the table. */
  readonly position: number
  /** Quoted, ready for SQL. */
  readonly name: string
  /** What a value, or an element of a list, is stored as. */
  readonly scalar: Scalar
  /** Type of a value, or of the elements of a list. */
  readonly elementType: string
  readonly type: string
}

export type Table = {
  readonly entity: Entity
  /** Quoted and qualified, ready for SQL. */
  readonly name: string
  readonly columns: ReadonlyMap<string, Column>
  readonly idType: string
}

/** Tables of a subgraph: one PostgreSQL schema with a table per entity, and two tables of the store. */
export type Layout = {
  readonly namespace: string
  readonly schemaName: string
  /** Names that start with `$` cannot clash with an entity's: GraphQL has no such names. */
  readonly blocks: string
  readonly meta: string
  readonly tables: ReadonlyMap<string, Table>
}

const sqlTypes = {
  ID: 'text',
  String: 'text',
  Bytes: 'bytea',
  BigInt: 'numeric',
  BigDecimal: 'numeric',
  Int: 'int4',
  Int8: 'int8',
  Timestamp: 'int8',
  Boolean: 'bool',
} as const

// PostgreSQL reserves these column names in every table.
const systemColumns = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

export function createLayout(model: EntityModel, namespace: string): Layout {
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(namespace) || /^(pg_|public$|information_schema$)/i.test(namespace)) {
    throw new SubgraphError({
      code: 'invalid_namespace',
      message: `The namespace "${namespace}" is invalid. Use at most 63 letters, digits, _ and -, starting with a letter. public, information_schema and pg_… are reserved.`,
    })
  }
  const schemaName = `"${namespace}"`
  const tables = [...model.entities.values()].map((entity) => createTable(schemaName, entity))
  return {
    namespace,
    schemaName,
    blocks: `${schemaName}."$blocks"`,
    meta: `${schemaName}."$meta"`,
    tables: new Map(tables.map((table) => [table.entity.name, table])),
  }
}

export function getTable(layout: Layout, entity: string): Table {
  const table = layout.tables.get(entity)
  if (!table) throw new Error(`The layout has no table for ${entity}.`)
  return table
}

export function getColumn(table: Table, field: string): Column {
  const column = table.columns.get(field)
  if (!column) throw new Error(`The table of ${table.entity.name} has no column for ${field}.`)
  return column
}

function createTable(schemaName: string, entity: Entity): Table {
  const columns = storedFieldsOf(entity).map(createColumn)
  return {
    entity,
    name: `${schemaName}."${entity.name}"`,
    columns: new Map(columns.map((column) => [column.field.name, column])),
    idType: sqlTypes[entity.idScalar],
  }
}

function createColumn(field: StoredField, position: number): Column {
  const scalar = storageScalar(field.type)
  const elementType = sqlTypes[scalar]
  const name = systemColumns.has(field.name) ? `"${field.name}$"` : `"${field.name}"`
  return { field, position, name, scalar, elementType, type: field.isList ? `${elementType}[]` : elementType }
}

type BlockRow = { number: number; hash: string; parent_hash: string; timestamp: bigint }
export type HeadRow = BlockRow & { revision: number; fault: string | null }

/** Reads the latest block. Returns undefined in an empty store. */
export async function readHead(queryable: Queryable, layout: Layout): Promise<Head | undefined> {
  const rows = await queryable.query<HeadRow>(headSql(layout))
  return rows[0] && toHead(rows[0])
}

export function headSql(layout: Layout): string {
  const ofMeta = (column: string) => `(select ${column} from ${layout.meta}) as ${column}`
  return `select number, hash, parent_hash, timestamp, ${ofMeta('revision')}, ${ofMeta('fault')}
    from ${layout.blocks} order by number desc limit 1`
}

export function findBlockByHash(
  queryable: Queryable,
  { layout, hash }: { readonly layout: Layout; readonly hash: string },
): Promise<Block | undefined> {
  return findBlock(queryable, { layout, clauses: 'where hash = $1', parameters: [hash] })
}

/** Finds the latest block at or below a number. Numbers may be skipped, so it has the state at that number. */
export function findBlockAt(
  queryable: Queryable,
  { layout, number }: { readonly layout: Layout; readonly number: number },
): Promise<Block | undefined> {
  const clauses = 'where number <= $1 order by number desc limit 1'
  return findBlock(queryable, { layout, clauses, parameters: [number] })
}

export function findFirstBlock(queryable: Queryable, layout: Layout): Promise<Block | undefined> {
  return findBlock(queryable, { layout, clauses: 'order by number limit 1' })
}

type BlockQuery = { readonly layout: Layout; readonly clauses: string; readonly parameters?: readonly unknown[] }

async function findBlock(
  queryable: Queryable,
  { layout, clauses, parameters }: BlockQuery,
): Promise<Block | undefined> {
  const text = `select number, hash, parent_hash, timestamp from ${layout.blocks} ${clauses}`
  const [row] = await queryable.query<BlockRow>(text, parameters)
  return row && toBlock(row)
}

export function toHead(row: HeadRow): Head {
  return { ...toBlock(row), revision: row.revision, fault: row.fault ?? undefined }
}

function toBlock(row: BlockRow): Block {
  return { number: row.number, hash: row.hash, parentHash: row.parent_hash, timestamp: Number(row.timestamp) }
}
