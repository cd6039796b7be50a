import { RpcError, readLatest } from '@tallystick/chain'
import type { Block } from '../store/block.ts'
import { backfill } from './backfill.ts'
import type { ChainContext, Cursor } from './chain-context.ts'
import { followHead, storeFirst } from './follow-head.ts'
import type { FollowerProgress } from './follower-status.ts'
import { readTip } from './read-tip.ts'

/**
 * Number of blocks that a reorg may replace by default. Ethereum is final after 64 to 95 blocks, and nodes keep 128 blocks
 * for reorgs. This many blocks below the head of the chain are all stored, so that a reorg is reverted exactly to its fork.
 */
export const maxReorgDepthDefault = 256

/** Reads and stores new blocks. Returns the new cursor, or undefined if nothing is stored. */
export async function followChain(
  context: ChainContext,
  { cursor, progress }: { readonly cursor: Cursor | undefined; readonly progress: FollowerProgress },
): Promise<Cursor | undefined> {
  if (!cursor) return startIndex(context, progress)
  const { subgraph, identity, pool, log, maxReorgDepth } = context
  const known = { subgraph, cursor, identity, maxReorgDepth }
  const tip = await pool.run((endpoint) => readTip(endpoint, known))
  const { header: latest } = tip.latest
  progress.chainHead = latest
  if (tip.reorg) {
    const { shared } = tip.reorg
    if (shared?.hash !== cursor.stored.hash) {
      progress.reorgsSeen += 1
      await revertTo(context, { shared, stored: cursor.stored })
    }
    return shared && { stored: shared, position: shared }
  }
  const deep = latest.number - maxReorgDepth
  if (cursor.position.number < deep) {
    progress.state = 'backfilling'
    return backfill(context, { cursor, to: deep })
  }
  if (progress.state !== 'following') log.info({ block: cursor.position.number }, 'following the chain head')
  progress.state = 'following'
  return followHead(context, { cursor, latest: tip.latest })
}

async function startIndex(context: ChainContext, progress: FollowerProgress): Promise<Cursor> {
  const { startBlock, pool } = context
  const latest = await pool.run(readLatest)
  progress.chainHead = latest
  if (latest.number < startBlock) {
    const message = `The chain head is block ${latest.number}, below startBlock ${startBlock}. Indexing starts at startBlock. Lower it if it is wrong.`
    throw new RpcError({ kind: 'behind', message })
  }
  return storeFirst(context)
}

async function revertTo(
  { subgraph, log }: ChainContext,
  { shared, stored }: { readonly shared: Block | undefined; readonly stored: Block },
): Promise<void> {
  const details = { from: stored.number, to: shared?.number, depth: stored.number - (shared?.number ?? -1) }
  log.warn(details, 'reorg: reverting to the fork')
  await subgraph.revert(shared?.number ?? -1)
}
