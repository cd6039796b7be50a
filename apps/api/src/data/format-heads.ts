import type { Head } from './chain-subgraph.ts'

/** The `x-tallystick-chains` header: of each chain the block it was answered from, and how many seconds old that is. */
export function formatHeads(heads: readonly { readonly chain: number; readonly head: Head }[], nowMs: number): string {
  return heads
    .map(({ chain, head }) => {
      const lag = head.timestamp === undefined ? '' : `;lag=${Math.max(0, Math.floor(nowMs / 1000) - head.timestamp)}`
      return `${chain};block=${head.number}${lag}`
    })
    .join(', ')
}
