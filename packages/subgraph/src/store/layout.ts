import {
  type Entity,
  type EntityModel,
  type StoredField,
  storageScalar,
  storedFieldsOf,
} from '../schema/entity-model.ts'
import { SubgraphError } from '../subgraph-error.ts'

export type Column = {
  readonly field: StoredField
  /** Among the table's columns. */
  readonly position: number
  /** Quoted, ready for SQL. */
  readonly name: string
  /** The type of one value: for a list, of its elements. */
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

/** Where a subgraph's data is: one PostgreSQL schema, a table per entity, and two tables of the store itself. */
export type Layout = {
  readonly namespace: string
  readonly schemaName: string
  /** Names that start with `$` cannot clash with an entity's: GraphQL has no such names. */
  readonly blocks: string
  readonly meta: string
  readonly tables: ReadonlyMap<string, Table>
}

/** `$to` of the versions that are still good: no block has this number, and a comparison needs no case for null. */
export const openEnd = 2_147_483_647

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

// PostgreSQL has these columns in every table and lets nobody define them.
const systemColumns = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

export function createLayout(model: EntityModel, namespace: string): Layout {
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(namespace) || /^(pg_|public$|information_schema$)/i.test(namespace)) {
    throw new SubgraphError({
      code: 'invalid_namespace',
      message: `The namespace "${namespace}" cannot be used. Use letters, digits, _ and -, starting with a letter, 63 at most; not public, information_schema or pg_….`,
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
  const elementType = sqlTypes[storageScalar(field.type)]
  const name = systemColumns.has(field.name) ? `"${field.name}$"` : `"${field.name}"`
  return { field, position, name, elementType, type: field.isList ? `${elementType}[]` : elementType }
}
