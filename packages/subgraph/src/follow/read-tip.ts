import { type RpcEndpoint, RpcError } from '@tallystick/chain'
import type { Block } from '../store/block.ts'
import type { Subgraph } from '../subgraph.ts'
import type { Cursor } from './chain-context.ts'
import { findBlock, readLatest } from './read-chain.ts'

export type Tip = {
  readonly latest: Block
  /** There if the chain is no longer the one that was read: the latest stored block both share, if they share any. */
  readonly reorg: { readonly shared: Block | undefined } | undefined
}

// Servers behind one URL differ by a few blocks, and answer in turn. That is nothing to report or to act on.
const lagTolerated = 8

type Known = { readonly subgraph: Subgraph; readonly cursor: Cursor }

/** Reads the chain's latest block, and whether it still stands on what is stored. Only another hash at a height counts. */
export async function readTip(endpoint: RpcEndpoint, known: Known): Promise<Tip> {
  const latest = await readLatest(endpoint)
  const { position } = known.cursor
  const expected = latest.number >= position.number ? position : await known.subgraph.findBlockAt(latest.number)
  const found = expected?.number === latest.number ? latest : expected && (await findBlock(endpoint, expected.number))
  if (found && expected && found.hash !== expected.hash) {
    return { latest, reorg: { shared: await findShared(endpoint, known) } }
  }
  const lag = position.number - latest.number
  if (lag > lagTolerated) {
    const message = `is at block ${latest.number}, ${lag} behind what is indexed already: it has to catch up`
    throw new RpcError({ kind: 'behind', message })
  }
  return { latest, reorg: undefined }
}

/**
 * The latest stored block that is on the chain. Blocks on it are followed by those that are not, so it is looked for in
 * steps that double and then in halves: a fork at any depth takes few calls.
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
