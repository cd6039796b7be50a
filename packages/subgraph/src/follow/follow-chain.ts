import { RpcError } from '@tallystick/chain'
import { backfill } from './backfill.ts'
import type { ChainContext, Cursor } from './chain-context.ts'
import { followHead, storeFirst } from './follow-head.ts'
import type { FollowerProgress } from './follower-status.ts'
import { readLatest } from './read-chain.ts'
import { readTip, type Tip } from './read-tip.ts'

/**
 * So near the head every block is stored, on its parent: a reorg is then undone to the very block of the fork. Ethereum
 * is final after 64 to 95 blocks, nodes themselves keep 128 to be able to turn back. Deeper reorgs are undone too, to the
 * latest stored block before the fork.
 */
export const headBlocks = 256

/** Reads and stores what is new on the chain; returns how far it is, and undefined when nothing is stored. */
export async function followChain(
  context: ChainContext,
  { cursor, progress }: { readonly cursor: Cursor | undefined; readonly progress: FollowerProgress },
): Promise<Cursor | undefined> {
  if (!cursor) return begin(context, progress)
  const { subgraph, pool, log } = context
  const tip = await pool.run((endpoint) => readTip(endpoint, { subgraph, cursor }))
  const { latest } = tip
  progress.chainHead = latest
  if (tip.reorg) return undo(context, { cursor, progress, reorg: tip.reorg })
  const deep = latest.number - headBlocks
  if (cursor.position.number < deep) {
    progress.state = 'backfilling'
    return backfill(context, { cursor, to: deep })
  }
  if (progress.state !== 'following') log.info({ block: cursor.position.number }, 'following the head of the chain')
  progress.state = 'following'
  return followHead(context, { cursor, to: latest.number })
}

async function begin(context: ChainContext, progress: FollowerProgress): Promise<Cursor> {
  const { startBlock, pool } = context
  const latest = await pool.run(readLatest)
  progress.chainHead = latest
  if (latest.number < startBlock) {
    const message = `The chain is at block ${latest.number} and startBlock is ${startBlock}: it is waited for. Lower startBlock if that is wrong.`
    throw new RpcError({ kind: 'behind', message })
  }
  return storeFirst(context)
}

async function undo(
  { subgraph, log }: ChainContext,
  step: {
    readonly cursor: Cursor
    readonly progress: FollowerProgress
    readonly reorg: NonNullable<Tip['reorg']>
  },
): Promise<Cursor | undefined> {
  const { stored } = step.cursor
  const { shared } = step.reorg
  if (shared && shared.hash === stored.hash) return { stored, position: stored }
  step.progress.reorgsSeen += 1
  const details = { from: stored.number, to: shared?.number, depth: stored.number - (shared?.number ?? -1) }
  if (shared) log.warn(details, 'the chain was reorganised: going back to the fork')
  else log.warn(details, 'the chain shares no block with what is indexed: indexing it anew')
  await subgraph.revert(shared?.number ?? -1)
  return shared && { stored: shared, position: shared }
}
