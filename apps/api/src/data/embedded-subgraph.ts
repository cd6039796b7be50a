import type { Block, Follower, Subgraph } from '@tallystick/subgraph'
import type { ChainSubgraph, Head } from './chain-subgraph.ts'
import { classifyFailure } from './classify-failure.ts'

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
      const { data, errors = [], failure, head } = await subgraph.answer({ query, variables, operationName, signal })
      if (signal.aborted && typeof signal.reason !== 'symbol') throw signal.reason
      const messages = errors.map(({ message }) => message)
      if (data === undefined) throw classifyFailure(failure?.code ?? 'internal_error', messages.join(' '))
      return { data, errors: messages, head: toHead(head) }
    },
    close: async () => undefined,
  }
}

function toHead(block: Block | undefined): Head | undefined {
  return block && { number: block.number, hash: block.hash, timestamp: block.timestamp }
}
