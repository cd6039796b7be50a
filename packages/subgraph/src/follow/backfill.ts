import { RpcError } from '@tallystick/chain'
import type { ChainContext, Cursor } from './chain-context.ts'
import { storeBlocks } from './follow-head.ts'
import type { BlockLogs } from './mapping.ts'
import { changed, linkParents, type Range, readRange } from './read-range.ts'

// A transaction of this size takes at most 1 s, so a stop does not wait longer. Its overhead is negligible.
const logsPerTransaction = 10_000

/** Reads and stores deep history up to a block, in ranges. It fetches the next range while it stores one. */
export async function backfill(
  context: ChainContext,
  { cursor, to }: { readonly cursor: Cursor; readonly to: number },
): Promise<Cursor> {
  let { stored, position } = cursor
  let next: Promise<Range> | undefined = fetchRange(context, { from: position.number + 1, to })
  while (next && !context.isOver()) {
    const range: Range = await next
    if (range.before.hash !== position.hash) throw changed(position.number)
    const from = range.end.number + 1
    next = from <= to ? fetchRange(context, { from, to }) : undefined
    // The next iteration awaits it. Until then a rejection must not count as unhandled.
    next?.catch(() => undefined)
    for (const blocks of splitByLogs(linkParents(range.blocks, stored))) {
      if (context.isOver()) return { stored, position: stored }
      stored = await storeBlocks(context, { blocks, head: stored, isIndexed: false })
    }
    position = range.end
  }
  return { stored, position }
}

async function fetchRange(
  { pool, sizer, addresses, isOver }: ChainContext,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Range> {
  for (;;) {
    try {
      const range = await pool.run((endpoint) => {
        const end = Math.min(to, from + sizer.size - 1)
        return readRange(endpoint, { from, to: end, addresses }).catch((error) => {
          const isTooMuch = error instanceof RpcError && (error.kind === 'refused' || error.kind === 'timeout')
          if (isTooMuch) sizer.refused(end - from + 1)
          throw error
        })
      })
      sizer.succeeded(range.logCount)
      return range
    } catch (error) {
      const isRefused = error instanceof RpcError && error.kind === 'refused'
      if (!isRefused || isOver()) throw error
    }
  }
}

function splitByLogs(blocks: readonly BlockLogs[]): readonly (readonly BlockLogs[])[] {
  const parts: BlockLogs[][] = []
  let logs = 0
  for (const block of blocks) {
    const part = parts.at(-1)
    logs += block.logs.length
    if (part && logs <= logsPerTransaction) part.push(block)
    else {
      parts.push([block])
      logs = block.logs.length
    }
  }
  return parts
}
