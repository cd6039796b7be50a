import { decodeInteger, decodeMember, type Place } from '../decode/decode.ts'
import type { Connection } from '../http/connection.ts'
import type { ChainError } from './query-data.ts'
import { type PagedList, readList } from './read-pages.ts'

/** Floating income of one UTC day. */
export type FloatingIncomeDay = {
  /** Unix seconds / 86400. */
  readonly day: bigint
  /** Income per second and dollar, scaled by 1e25. */
  readonly floatingIncome: bigint
  /** Sum up to and including this day. */
  readonly accFloatingIncome: bigint
  /** Time of the last update, Unix seconds. */
  readonly updatedAt: bigint
}

/** All days of one chain, newest first, or why they are not available. */
export type ChainFloatingIncomes = { readonly chain: number } & (
  | { readonly days: readonly FloatingIncomeDay[]; readonly errors?: undefined }
  | { readonly days: null; readonly errors: readonly ChainError[] }
)

export const floatingIncomeList: PagedList<FloatingIncomeDay> = {
  name: 'floatingIncomes',
  operation: 'FetchFloatingIncomes',
  variables: '$below: Int!',
  where: '{ day_lt: $below }',
  orderBy: 'day',
  fields: 'day floatingIncome accFloatingIncome updatedAt',
  decodeRow: decodeDay,
  cursorOf: ({ day }) => day,
  // The highest Int of GraphQL: no day reaches it.
  aboveAll: 2n ** 31n - 1n,
  encodeCursor: Number,
}

export async function fetchFloatingIncomes(
  connection: Connection,
  { chains, signal }: { readonly chains: readonly number[]; readonly signal?: AbortSignal | undefined },
): Promise<readonly ChainFloatingIncomes[]> {
  const results = await readList(connection, { list: floatingIncomeList, variables: {}, chains, signal })
  return results.map(({ chain, value, errors }) => (errors ? { chain, days: null, errors } : { chain, days: value }))
}

function decodeDay(place: Place): FloatingIncomeDay {
  const integer = (name: string) => decodeInteger(decodeMember(place, name))
  return {
    day: integer('day'),
    floatingIncome: integer('floatingIncome'),
    accFloatingIncome: integer('accFloatingIncome'),
    updatedAt: integer('updatedAt'),
  }
}
