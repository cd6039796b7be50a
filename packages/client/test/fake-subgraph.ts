import { buildSchema, graphql } from 'graphql'

/** Rows in the format of a subgraph. */
export type Row = Readonly<Record<string, string | number>>

export type ChainData = {
  /** Head of the chain; 123 by default. */
  readonly block?: number
  /** Earlier states by block. */
  readonly history?: Readonly<Record<number, ChainData>>
  readonly positions: readonly Row[]
  readonly floatingIncomes: readonly Row[]
  readonly accounts: Readonly<Record<string, Row>>
}

// The part of the protocol's schema that the client uses. Other queries are rejected.
const schema = buildSchema(`
  scalar Bytes
  scalar BigInt
  input Block_height { number: Int }
  enum OrderDirection { asc desc }
  enum PositionInfo_orderBy { tokenId }
  enum FloatingIncome_orderBy { day }
  input PositionInfo_filter { currentOwner: Bytes, status: String, tokenId_lt: BigInt }
  input FloatingIncome_filter { day_lt: Int }
  type PositionInfo {
    tokenId: BigInt! currentOwner: Bytes! initalOwner: Bytes! initiator: Bytes! coupon: BigInt! principal: BigInt!
    lendTimestamp: BigInt! maturityTimestamp: BigInt! partnerFeeBPS: BigInt! partnerId: Bytes! status: String!
    lendTransactionHash: Bytes!
  }
  type Account { id: Bytes! totalPrincipal: BigInt! totalIncome: BigInt! totalFees: BigInt! }
  type FloatingIncome { day: Int! floatingIncome: BigInt! accFloatingIncome: BigInt! updatedAt: BigInt! }
  type Query {
    positionInfos(where: PositionInfo_filter, orderBy: PositionInfo_orderBy, orderDirection: OrderDirection, first: Int = 100, block: Block_height): [PositionInfo!]!
    floatingIncomes(where: FloatingIncome_filter, orderBy: FloatingIncome_orderBy, orderDirection: OrderDirection, first: Int = 100, block: Block_height): [FloatingIncome!]!
    account(id: ID!): Account
  }`)

type ListArguments = {
  readonly where?: Readonly<Record<string, string | number>>
  readonly orderDirection?: string
  readonly first: number
  readonly block?: { readonly number: number }
}
export type GraphqlRequest = {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName?: string | undefined
}

/** Executes a query like a subgraph. Rows are in ascending order of the field they can be sorted by. */
export async function executeQuery(data: ChainData, { query, variables, operationName }: GraphqlRequest) {
  const rootValue = {
    positionInfos: (options: ListArguments) => select(stateAt(data, options).positions, options),
    floatingIncomes: (options: ListArguments) => select(stateAt(data, options).floatingIncomes, options),
    account: ({ id }: { readonly id: string }) => data.accounts[id] ?? null,
  }
  const result = await graphql({ schema, source: query, rootValue, variableValues: variables, operationName })
  // graphql-js returns objects without a prototype, which are not equal to those of JSON.
  return JSON.parse(JSON.stringify(result)) as { data?: Row | null; errors?: readonly { message: string }[] }
}

/** Returns the head of a chain's data. */
export function headOf({ block = 123 }: ChainData): number {
  return block
}

function stateAt(data: ChainData, { block }: ListArguments): ChainData {
  const state = !block || block.number === headOf(data) ? data : data.history?.[block.number]
  if (!state) throw new Error(`${notIndexed} ${block?.number}`)
  return state
}

/** Start of the error for a block that is not indexed. The service reports it as a failure of the subgraph. */
export const notIndexed = 'The subgraph has not indexed the block'

function select(rows: readonly Row[], { where = {}, orderDirection, first }: ListArguments): readonly Row[] {
  const ordered = orderDirection === 'desc' ? [...rows].reverse() : rows
  return ordered.filter((row) => Object.entries(where).every((condition) => matches(row, condition))).slice(0, first)
}

function matches(row: Row, [key, value]: readonly [string, string | number]): boolean {
  if (!key.endsWith('_lt')) return row[key] === value
  return BigInt(row[key.slice(0, -3)] as string) < BigInt(value)
}
