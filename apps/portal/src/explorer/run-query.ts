import { type ChainResult, createClient } from '@tallystick/client'
import type { Session } from '../data/session.ts'

export type QueryRun = {
  readonly results: readonly ChainResult<unknown>[]
  readonly tookMs: number
  /** The block each chain answered from and its age, as `x-tallystick-chains` has it. */
  readonly heads: readonly { readonly chain: number; readonly block: string; readonly lagSeconds: number | undefined }[]
}

/** Runs a query as it stands. Never twice by itself: whoever presses the button wants to see what one request gives. */
export async function runQuery(
  { apiKey }: Session,
  {
    query,
    variables,
    chains,
    signal,
  }: {
    readonly query: string
    readonly variables: Readonly<Record<string, unknown>>
    readonly chains: readonly number[]
    readonly signal: AbortSignal
  },
): Promise<QueryRun> {
  let header: string | null = null
  // The client hands out data, not headers; this one looks at them as they pass.
  const fetchAndLook = async (url: string, init: RequestInit) => {
    const response = await fetch(url, init)
    header = response.headers.get('x-tallystick-chains')
    return response
  }
  const client = createClient({ baseUrl: location.origin, apiKey, retries: 0, fetch: fetchAndLook })
  const startedAt = performance.now()
  const results = await client.data({ query, variables, chains, signal })
  return { results, tookMs: performance.now() - startedAt, heads: parseHeads(header) }
}

/** `324;block=123;lag=4, …` */
function parseHeads(header: string | null): QueryRun['heads'] {
  return (header ?? '').split(',').flatMap((entry) => {
    const [, chain, block, lag] = /^\s*(\d+);block=(\d+)(?:;lag=(\d+))?/.exec(entry) ?? []
    if (chain === undefined || block === undefined) return []
    return { chain: Number(chain), block, lagSeconds: lag === undefined ? undefined : Number(lag) }
  })
}
