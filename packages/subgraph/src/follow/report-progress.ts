import type { FollowerLog } from './follower-log.ts'
import type { FollowerStatus } from './follower-status.ts'

const intervalMs = 2_000

/** Creates a function to call after each transaction of a backfill. It logs the progress every 2 s. */
export function createProgressReport(options: {
  readonly name: string
  readonly startBlock: number
  readonly log: FollowerLog
}): (status: FollowerStatus) => void {
  const { name, startBlock, log } = options
  let last = { atMs: performance.now(), events: 0 }
  return ({ state, head, chainHead, lagBlocks, lagSeconds, eventsIndexed }) => {
    const elapsedMs = performance.now() - last.atMs
    if (state !== 'backfilling' || !head || !chainHead || elapsedMs < intervalMs) return
    const span = Math.max(1, chainHead.number - startBlock)
    const percent = Math.floor((100 * (head.number - startBlock)) / span)
    const eventsPerSecond = Math.round(((eventsIndexed - last.events) * 1_000) / elapsedMs)
    last = { atMs: performance.now(), events: eventsIndexed }
    const details = { name, block: head.number, percent, eventsPerSecond, lagBlocks, lagSeconds }
    log.info(details, `backfilling: ${percent} %, ${eventsPerSecond} events/s`)
  }
}
