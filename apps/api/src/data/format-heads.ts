import type { Head } from './chain-subgraph.ts'

/** Formats the `x-tallystick-chains` header: for each chain, the block of its answer and that block's age in seconds. */
export function formatHeads(heads: readonly { readonly chain: number; readonly head: Head }[], nowMs: number): string {
  return heads
    .map(({ chain, head }) => {
      const lag = head.timestamp === undefined ? '' : `;lag=${Math.max(0, Math.floor(nowMs / 1000) - head.timestamp)}`
      return `${chain};block=${head.number}${lag}`
    })
    .join(', ')
}
