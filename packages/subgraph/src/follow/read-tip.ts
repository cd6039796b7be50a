import { findBlock, type HeaderWithBloom, type RpcEndpoint, RpcError, readLatestHeader } from '@tallystick/chain'
import type { Block } from '../store/block.ts'
import type { ChainContext, Cursor } from './chain-context.ts'

export type Tip = {
  readonly latest: HeaderWithBloom
  /** Set if the chain is no longer the indexed one. `shared` is the latest stored block on both, if there is one. */
  readonly reorg: { readonly shared: Block | undefined } | undefined
}

// Servers behind one URL respond in turn and differ by a few blocks. That is neither a reorg nor a problem.
const lagTolerated = 8

type Known = Pick<ChainContext, 'subgraph' | 'identity' | 'maxReorgDepth'> & { readonly cursor: Cursor }

/** Reads the head of the chain and detects a reorg: another hash at a height that was read before. */
export async function readTip(endpoint: RpcEndpoint, known: Known): Promise<Tip> {
  const tip = await readLatestHeader(endpoint)
  const latest = tip.header
  const { position } = known.cursor
  // The usual case near the head: the next block names the one that was read last, which need not be read again.
  if (latest.number === position.number + 1 && latest.parentHash === position.hash)
    return { latest: tip, reorg: undefined }
  const expected = latest.number >= position.number ? position : await known.subgraph.findBlockAt(latest.number)
  const found = expected?.number === latest.number ? latest : expected && (await findBlock(endpoint, expected.number))
  if (found && expected && found.hash !== expected.hash) {
    // The last check may be a second old. An endpoint that has changed its chain since looks like a reorg.
    await known.identity.check(endpoint)
    const shared = await findShared(endpoint, known)
    refuseDeepReorg(shared, known)
    return { latest: tip, reorg: { shared } }
  }
  const lag = position.number - latest.number
  if (lag > lagTolerated) {
    const message = `is at block ${latest.number}, ${lag} blocks behind the head of the index`
    throw new RpcError({ kind: 'behind', message })
  }
  return { latest: tip, reorg: undefined }
}

/** A server that serves another chain, or an old copy of this one, looks like a deep reorg. It must not empty the index. */
function refuseDeepReorg(shared: Block | undefined, { cursor, maxReorgDepth }: Known): void {
  const depth = cursor.stored.number - (shared?.number ?? -1)
  if (shared && depth <= maxReorgDepth) return
  const since = shared
    ? `since block ${shared.number}, ${depth} blocks below the head of the index`
    : 'from the first block on'
  const message = `has another history ${since}. maxReorgDepth is ${maxReorgDepth}, so it is not followed`
  throw new RpcError({ kind: 'disputed', message })
}

/**
 * Finds the latest stored block that is on the chain. It searches back in doubling steps, then bisects, so a fork at any
 * depth takes few calls.
 */
async function findShared(endpoint: RpcEndpoint, { subgraph, cursor }: Known): Promise<Block | undefined> {
  const { stored } = cursor
  const isShared = async ({ number, hash }: Block) => (await findBlock(endpoint, number))?.hash === hash
  if (await isShared(stored)) return stored
  let shared: Block | undefined
  let above = stored.number
  for (let step = 1; ; step *= 2) {
    const block = await subgraph.findBlockAt(stored.number - step)
    if (!block) break
    if (await isShared(block)) {
      shared = block
      break
    }
    above = block.number
  }
  for (let below = shared?.number ?? -1; above - below > 1; ) {
    const middle = Math.floor((below + above) / 2)
    const block = await subgraph.findBlockAt(middle)
    const isNew = block && block.number > below
    if (isNew && !(await isShared(block))) {
      above = block.number
    } else {
      if (isNew) shared = block
      below = middle
    }
  }
  return shared
}
