import { queryRejected } from '../chain-subgraph.ts'

/** Limits of a query (DESIGN.md §2.3). */
export const queryLimits = {
  tokens: 2_000,
  depth: 10,
  rootFields: 30,
  aliases: 100,
  /** Counted after fragments are expanded: nested spreads multiply the fields of a short text. */
  fields: 2_000,
  rows: 100_000,
} as const

export type QueryLimit = keyof typeof queryLimits
export type QueryLimits = Readonly<Record<QueryLimit, number>>

/**
 * Limits of `/subgraphs`. They allow for the selection of the head that a gateway adds to a query of `/data`
 * (`alias: _meta { block { number hash timestamp } }`), since another Tallystick may use the endpoint as its upstream.
 */
export const publicQueryLimits: QueryLimits = {
  ...queryLimits,
  tokens: queryLimits.tokens + 11,
  rootFields: queryLimits.rootFields + 1,
  aliases: queryLimits.aliases + 1,
  fields: queryLimits.fields + 5,
}

/** Throws `query_rejected` with the message of the limit if `found` exceeds it. */
export function assertWithin(limit: QueryLimit, found: number, limits: QueryLimits = queryLimits): void {
  const max = limits[limit]
  if (found <= max) return
  const count = Number.isSafeInteger(found) ? String(found) : 'far more'
  throw queryRejected(messages[limit](count, max), { limit, max, found: count })
}

const messages: Readonly<Record<QueryLimit, (found: string, max: number) => string>> = {
  tokens: (_, max) => `The query has more than ${max} tokens. Select less or send several queries.`,
  depth: (found, max) => `The query is ${found} levels deep; the limit is ${max}. Query the deeper levels by id.`,
  rootFields: (found, max) => `The query has ${found} root fields; the limit is ${max}. Send several queries.`,
  aliases: (found, max) => `The query has ${found} aliases; the limit is ${max}. Send several queries.`,
  fields: (found, max) =>
    `With fragments expanded, the query selects ${found} fields; the limit is ${max}. Select fewer fields.`,
  rows: (found, max) =>
    `The query could return ${found} rows along one path (the product of \`first\`, 100 by default); ` +
    `the limit is ${max}. Use a smaller \`first\`.`,
}
