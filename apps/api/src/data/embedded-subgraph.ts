import type { TallystickError } from '@tallystick/core'
import type { Block, ErrorEntry, Follower, Subgraph } from '@tallystick/subgraph'
import { type ChainSubgraph, type Head, queryRejected, upstreamError } from './chain-subgraph.ts'

/** The index of a chain in this very process, as the gateway asks it. */
export function createEmbeddedSubgraph(
  chainId: number,
  {
    subgraph,
    follower,
  }: {
    readonly subgraph: Pick<Subgraph, 'answer' | 'head' | 'readHead'>
    readonly follower: Pick<Follower, 'isWriting'>
  },
): ChainSubgraph {
  return {
    chainId,
    // Where another process writes, only the database knows whether there is a new block.
    currentHead: () => (follower.isWriting ? toHead(subgraph.head) : subgraph.readHead().then(toHead, () => undefined)),
    knownHead: () => (follower.isWriting ? toHead(subgraph.head) : undefined),
    ask: async ({ text: query, variables, operationName }, signal) => {
      const { data, errors = [], head } = await subgraph.answer({ query, variables, operationName, signal })
      if (signal.aborted && typeof signal.reason !== 'symbol') throw signal.reason
      if (data === undefined) throw toError(errors)
      return { data, errors: errors.map(({ message }) => message), head: toHead(head) }
    },
    close: async () => undefined,
  }
}

function toHead(block: Block | undefined): Head | undefined {
  return block && { number: block.number, hash: block.hash, timestamp: block.timestamp }
}

function toError(errors: readonly ErrorEntry[]): TallystickError {
  const messages = errors.map(({ message }) => message).join(' ')
  const code = errors.find(({ extensions }) => extensions)?.extensions?.code
  if (code === 'query_timeout' || messages === 'Query timed out') {
    return upstreamError({ failure: 'slow_query', message: 'The query took too long. Ask for less at once.' })
  }
  if (code !== undefined) {
    return upstreamError({ failure: 'internal', message: 'The index of this chain cannot be read. Try again later.' })
  }
  if (/has not started syncing|is therefore not yet available/.test(messages)) {
    return upstreamError({ failure: 'behind', message: messages })
  }
  return queryRejected(messages)
}
