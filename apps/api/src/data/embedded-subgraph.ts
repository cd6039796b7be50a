import type { Block, Follower, Subgraph } from '@tallystick/subgraph'
import type { ChainSubgraph, Head } from './chain-subgraph.ts'
import { classifyFailure } from './classify-failure.ts'
import { deadlineReached } from './deadline.ts'

/** Adapts the index of a chain in this process to the gateway. */
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
    // If another process writes the index, only the database knows the latest block.
    currentHead: () => (follower.isWriting ? toHead(subgraph.head) : subgraph.readHead().then(toHead, () => undefined)),
    knownHead: () => (follower.isWriting ? toHead(subgraph.head) : undefined),
    ask: async ({ text: query, variables, operationName }, signal) => {
      const { data, errors = [], failure, head } = await subgraph.answer({ query, variables, operationName, signal })
      if (signal.aborted && signal.reason !== deadlineReached) throw signal.reason
      const messages = errors.map(({ message }) => message)
      if (data === undefined) throw classifyFailure(failure?.code ?? 'internal_error', messages.join(' '))
      return { data, errors: messages, head: toHead(head), source: 'embedded' }
    },
    close: async () => undefined,
  }
}

function toHead(block: Block | undefined): Head | undefined {
  return block && { number: block.number, hash: block.hash, timestamp: block.timestamp }
}
