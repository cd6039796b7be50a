import type { Follower, Subgraph } from '@tallystick/subgraph'
import { type ChainSubgraph, type Head, toHead } from '../chain-subgraph.ts'
import { classifyFailure } from '../classify-failure.ts'
import { deadlineReached } from '../deadline.ts'

// Long enough that a busy replica reads the head ten times per second instead of once per request, and short against the
// seconds between blocks.
const headAgeMaxMs = 100

/** Adapts the index of a chain in this process to the gateway. */
export function createEmbeddedSubgraph(
  chainId: number,
  {
    subgraph,
    follower,
    monotonicNow,
  }: {
    readonly subgraph: Pick<Subgraph, 'answer' | 'head' | 'readHead'>
    readonly follower: Pick<Follower, 'isWriting'>
    readonly monotonicNow: () => number
  },
): ChainSubgraph {
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: { readonly startedAtMs: number; readonly head: Promise<Head | undefined> } | undefined
  const isRecent = (sinceMs: number) => monotonicNow() - sinceMs < headAgeMaxMs
  const readHead = async (startedAtMs: number) => {
    try {
      const head = await subgraph.readHead()
      readAtMs = Math.max(readAtMs, startedAtMs)
      return toHead(head)
    } catch {
      reading = undefined
      return undefined
    }
  }
  // If another process writes the index, only the database knows the latest block. The head that this process knows
  // includes the blocks of queries since that read.
  const knownHead = () => (follower.isWriting || isRecent(readAtMs) ? toHead(subgraph.head) : undefined)
  return {
    chainId,
    currentHead: () => {
      const known = knownHead()
      if (known) return known
      if (!reading || !isRecent(reading.startedAtMs)) {
        const startedAtMs = monotonicNow()
        reading = { startedAtMs, head: readHead(startedAtMs) }
      }
      return reading.head
    },
    knownHead,
    ask: async ({ text: query, document, variables, operationName }, signal) => {
      const answer = await subgraph.answer({ query, document, variables, operationName, signal })
      const { data, errors = [], failure, head } = answer
      if (signal.aborted && signal.reason !== deadlineReached) throw signal.reason
      const messages = errors.map(({ message }) => message)
      if (data === undefined) throw classifyFailure(failure?.code ?? 'internal_error', messages.join(' '))
      return { data, errors: messages, head: toHead(head), source: 'embedded' }
    },
    close: async () => undefined,
  }
}
