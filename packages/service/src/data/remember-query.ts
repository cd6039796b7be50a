import type { ChainResult, Gateway, PreparedQuery, SubgraphAnswer } from '@tallystick/gateway'
import { type MemoryResponse, rememberAnswer } from '@tallystick/http'
import type { FastifyRequest } from 'fastify'

type AnsweredQuery = {
  readonly chains: readonly number[]
  readonly query: Pick<PreparedQuery, 'key'>
  /** Makes the response from the answers of all chains. */
  readonly respond: (results: readonly ChainResult[], nowMs: number) => MemoryResponse
}

// Sending a larger answer costs more than the fast path saves, and few of them would fill its memory.
const answersLengthMax = 256 * 1024

/**
 * Remembers a request for the fast path if its answers are in memory (docs/decisions/0077-one-fast-path.md). Most other
 * texts are never sent again.
 */
export function rememberQuery(
  request: FastifyRequest,
  gateway: Pick<Gateway, 'recall' | 'countHits'>,
  { chains, query: { key }, respond }: AnsweredQuery,
): void {
  type Found = { readonly answers: readonly SubgraphAnswer[]; readonly results: readonly ChainResult[] }
  let last: Found | undefined
  const recall = (): Found | undefined => {
    const answers = gateway.recall({ chains, key })
    if (!answers || (last && answers.every((answer, index) => answer === last?.answers[index]))) return answers && last
    last = { answers, results: chains.map((chain, index) => ({ chain, answer: answers[index] as SubgraphAnswer })) }
    return last
  }
  const length = recall()?.answers.reduce((sum, { data }) => sum + data.length, 0)
  if (length === undefined || length > answersLengthMax) return
  rememberAnswer<Found>(request, {
    recall,
    respond: ({ results }, nowMs) => respond(results, nowMs),
    countSent: () => gateway.countHits(chains),
  })
}
