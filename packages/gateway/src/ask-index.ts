import type { TallystickError } from '@tallystick/core'
import { type SubgraphAnswer, upstreamError } from './chain-subgraph.ts'
import type { DataSources } from './create-data-sources.ts'
import { prepareQuery } from './query/analyse-query.ts'

export type IndexResult =
  | { readonly answer: SubgraphAnswer; readonly failure?: undefined }
  | { readonly answer?: undefined; readonly failure: TallystickError }

/** Queries a chain's index. The query has no variables. Returns failures and never throws. */
export type AskIndex = (chainId: number, text: string) => Promise<IndexResult>

// Limits how long the rest of a response waits for an index.
const waitMs = 3_000

/** Creates the function by which the service itself queries the subgraphs, through the gateway of `/data`. */
export function createAskIndex({ analyse, gateway }: Pick<DataSources, 'analyse' | 'gateway'>): AskIndex {
  return async (chainId, text) => {
    const query = prepareQuery(analyse(text), { variables: {}, operationName: undefined })
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(timeoutError()), waitMs)
    const [result] = await gateway.query({ chains: [chainId], query, gone: controller.signal })
    clearTimeout(timer)
    return result?.answer ? { answer: result.answer } : { failure: result?.failure ?? timeoutError() }
  }
}

function timeoutError(): TallystickError {
  return upstreamError({ failure: 'slow_query', message: 'The subgraph did not answer in time.' })
}
