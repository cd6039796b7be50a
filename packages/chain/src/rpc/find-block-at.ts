import { readBlocks } from './read-blocks.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

/**
 * Returns the number of the first block at or after an instant, or `head` + 1 if there is none. Block times ascend, so it
 * takes about 30 calls.
 */
export async function findBlockAt(
  endpoint: RpcEndpoint,
  { timestamp, head }: { readonly timestamp: number; readonly head: number },
): Promise<number> {
  let low = 0
  let high = head + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [block] = await readBlocks(endpoint, [middle])
    if (block && block.timestamp >= timestamp) high = middle
    else low = middle + 1
  }
  return low
}
