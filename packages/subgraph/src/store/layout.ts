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
  /** Position among the columns of the table. */
  readonly position: number
  /** Quoted, ready for SQL. */
  readonly name: string
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

/** `$to` of open versions. No block has this number. Unlike null it needs no special case in comparisons. */
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
  const elementType = sqlTypes[storageScalar(field.type)]
  const name = systemColumns.has(field.name) ? `"${field.name}$"` : `"${field.name}"`
  return { field, position, name, elementType, type: field.isList ? `${elementType}[]` : elementType }
}
