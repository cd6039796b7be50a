import { queryRejected } from './chain-subgraph.ts'

/** What a query may be at most (DESIGN.md §2.3). */
export const queryLimits = {
  tokens: 2_000,
  depth: 10,
  rootFields: 30,
  aliases: 100,
  /** Once the fragments are put in their places: a short text can spread one into another without end. */
  fields: 2_000,
  rows: 100_000,
} as const

export type QueryLimit = keyof typeof queryLimits
export type QueryLimits = Readonly<Record<QueryLimit, number>>

/**
 * The same for `/subgraphs`, and room for what a gateway adds to a query that `/data` allows: it asks for the head as well
 * (`alias: _meta { block { number hash timestamp } }`), and the endpoint may be another replica's upstream.
 */
export const publicQueryLimits: QueryLimits = {
  ...queryLimits,
  tokens: queryLimits.tokens + 11,
  rootFields: queryLimits.rootFields + 1,
  aliases: queryLimits.aliases + 1,
  fields: queryLimits.fields + 5,
}

/** Throws `query_rejected` with the limit's own message if there is more than it allows. */
export function assertWithin(limit: QueryLimit, found: number, limits: QueryLimits = queryLimits): void {
  const max = limits[limit]
  if (found <= max) return
  const count = Number.isSafeInteger(found) ? String(found) : 'far more'
  throw queryRejected(messages[limit](count, max), { limit, max, found: count })
}

const messages: Readonly<Record<QueryLimit, (found: string, max: number) => string>> = {
  tokens: (_, max) => `The query has more than ${max} tokens. Ask for less, or in several queries.`,
  depth: (found, max) => `The query is ${found} levels deep; the limit is ${max}. Ask for the deeper levels by id.`,
  rootFields: (found, max) => `The query has ${found} root fields; the limit is ${max}. Send several queries.`,
  aliases: (found, max) => `The query has ${found} aliases; the limit is ${max}. Send several queries.`,
  fields: (found, max) => `With its fragments the query selects ${found} fields; the limit is ${max}. Select fewer.`,
  rows: (found, max) =>
    `The query could return ${found} rows along one path (the product of \`first\`, 100 where it is left out); ` +
    `the limit is ${max}. Give a smaller \`first\`.`,
}
