import { type ChainResult, createClient } from '@tallystick/client'
import type { Session } from '../data/session.ts'

export type QueryRun = {
  readonly results: readonly ChainResult<unknown>[]
  readonly tookMs: number
}

/** Runs a query once, without retries: the visitor wants to see the result of that one request. */
export async function runQuery(
  { apiKey }: Session,
  request: {
    readonly query: string
    readonly variables: Readonly<Record<string, unknown>>
    readonly chains: readonly number[]
    readonly signal: AbortSignal
  },
): Promise<QueryRun> {
  const client = createClient({ baseUrl: location.origin, apiKey, retries: 0 })
  const startedAt = performance.now()
  const results = await client.data(request)
  return { results, tookMs: performance.now() - startedAt }
}

/** Returns the response body as it was sent, without the members that the client adds from headers. */
export function bodyOf({ results }: QueryRun): string {
  const body = results.map(({ chain, data, errors }) => ({ chain, data, ...(errors && { errors }) }))
  return JSON.stringify(body, undefined, 2)
}
