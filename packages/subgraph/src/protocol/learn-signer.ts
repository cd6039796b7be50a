import { createRangeSizer, probeSigner, type RpcEndpoint, RpcError, readLatest, toQuantity } from '@tallystick/chain'
import { eventTopics } from '@tallystick/contracts/event-topics'
import type { RunOnRpc } from '../follow/mapping.ts'
import type { Context } from './change-entities.ts'
import type { Pool } from './entities.ts'
import { put } from './working-set.ts'

type PoolAtBlock = { readonly pool: `0x${string}`; readonly block: number }

/**
 * Reads the signer of a pool from the chain in the block in which the pool is first seen: the pool emits an event only when
 * its signer changes, not when it is deployed.
 */
export async function learnSigner(
  { set, pool, block }: Context,
  { before, run }: { readonly before: Pool | undefined; readonly run: RunOnRpc },
): Promise<void> {
  const after = set.pools.rows.get(pool)
  if (!after || after.signer !== null || !isFirstSeen(before, after)) return
  const at = { pool: pool as `0x${string}`, block: block.number }
  const signer = await run((endpoint) => findSigner(endpoint, at))
  if (signer) put(set.pools, { ...after, signer })
}

/** Events of the position token can come before the pool is deployed. The pool emits its limits when it is deployed. */
function isFirstSeen(before: Pool | undefined, after: Pool): boolean {
  return !before || (!hasLimits(before) && hasLimits(after))
}

function hasLimits({ minLendLimit, maxCouponLimit, minMaturityLimit }: Pool): boolean {
  return (minLendLimit ?? maxCouponLimit ?? minMaturityLimit) !== null
}

async function findSigner(endpoint: RpcEndpoint, at: PoolAtBlock): Promise<string | undefined> {
  try {
    return await probeSigner(endpoint, at)
  } catch (error) {
    // Most nodes keep the state of recent blocks only. They report missing state in different ways.
    if (!(error instanceof RpcError) || error.kind !== 'error') throw error
    return findSignerFromLatest(endpoint, at)
  }
}

/** Reads the present signer. It was the signer at the block too, unless the pool has changed it since: then it is unknown. */
async function findSignerFromLatest(endpoint: RpcEndpoint, { pool, block }: PoolAtBlock): Promise<string | undefined> {
  const { number: latest } = await readLatest(endpoint)
  if (latest < block) throw new RpcError({ kind: 'behind', message: `does not have block ${block} yet` })
  const signer = await probeSigner(endpoint, { pool, block: latest })
  const isChanged = await hasSignerChanged(endpoint, { pool, from: block + 1, to: latest })
  return isChanged ? undefined : signer
}

async function hasSignerChanged(
  endpoint: RpcEndpoint,
  { pool, from, to }: { readonly pool: string; readonly from: number; readonly to: number },
): Promise<boolean> {
  const sizer = createRangeSizer()
  for (let start = from; start <= to; ) {
    const end = Math.min(to, start + sizer.size - 1)
    const range = { fromBlock: toQuantity(start), toBlock: toQuantity(end) }
    const filter = { address: pool, topics: [eventTopics.FeedSignatureVerifier__SignerChanged], ...range }
    try {
      const logs = await endpoint.call({ method: 'eth_getLogs', params: [filter] })
      if (!Array.isArray(logs)) throw new RpcError({ kind: 'malformed', message: 'sent logs that are not a list' })
      if (logs.length > 0) return true
      sizer.succeeded(0)
      start = end + 1
    } catch (error) {
      const isTooWide = error instanceof RpcError && ['error', 'refused', 'timeout'].includes(error.kind)
      if (!isTooWide || start === end) throw error
      sizer.refused(end - start + 1)
    }
  }
  return false
}
