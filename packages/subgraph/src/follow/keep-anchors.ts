import { createLogThrottle } from '@tallystick/base'
import type { Anchor } from '@tallystick/chain'
import type { Block } from '../store/block.ts'
import type { ChainContext } from './chain-context.ts'

// An anchor only has to be old enough. It is read again this rarely.
const refreshMs = 10_000

type AnchorOptions = Pick<ChainContext, 'identity' | 'subgraph' | 'maxReorgDepth'>

/**
 * Creates a function that gives an identity the blocks of the index that endpoints must have: the first one, and the newest
 * that counts as final.
 */
export function createAnchorKeeper({ identity, subgraph, maxReorgDepth }: AnchorOptions): () => Promise<void> {
  const takeTurn = createLogThrottle({ everyMs: refreshMs })
  return async () => {
    const { head } = subgraph
    if (!head || !takeTurn()) return
    const first = await subgraph.findFirstBlock()
    const final = await subgraph.findBlockAt(head.number - maxReorgDepth)
    const anchors = [...toAnchor(first, 'deployment'), ...toAnchor(final, 'final')]
    if (JSON.stringify(anchors) !== JSON.stringify(identity.anchors)) identity.anchors = anchors
  }
}

function toAnchor(block: Block | undefined, kind: Anchor['kind']): readonly Anchor[] {
  return block ? [{ number: block.number, hash: block.hash, kind }] : []
}
