import { type Time, toSeconds } from '@tallystick/base'
import { periodAt } from '@tallystick/core'
import type { PublishedNotes } from '@tallystick/issuer'
import type { Logger } from 'pino'
import type { NewEvent } from './event-store.ts'
import { repeatWork } from './repeat-work.ts'

export type NotesProducerOptions = {
  /** Notes as they are served: not withheld, and only while the clocks agree. */
  readonly published: Pick<PublishedNotes, 'at'>
  readonly chainIds: readonly number[]
  readonly time: Time
  readonly append: (events: readonly NewEvent[]) => Promise<unknown>
  readonly log: Logger
}

// The clocks of the database and the chain may reach the boundary a little later.
const startMs = 10_000
const startTickMs = 50

/**
 * Appends a `notes` event for each chain when the notes of a period are served. Every replica tries, and the first one
 * succeeds. It reads the clock at least once per second, so it also works after the machine slept or its clock was set.
 */
export function startNotesProducer(options: NotesProducerOptions): { readonly stop: () => Promise<void> } {
  const { time, log } = options
  /** Start of the last period whose event is stored, by chain. */
  const stored = new Map<number, bigint>()
  return repeatWork({
    work: () => produce(options, stored),
    time,
    name: 'notes events',
    delayMs: () => delayOf(time.now()),
    log,
    failure: 'appending notes events failed; retrying',
  })
}

/** Returns the time to the next whole second, because every boundary is one, or less in the first seconds of a period. */
function delayOf(nowMs: number): number {
  const elapsedMs = nowMs - Number(periodAt(toSeconds(nowMs)).start) * 1000
  return elapsedMs < startMs ? startTickMs : 1_000 - (Math.floor(nowMs) % 1_000)
}

async function produce(
  { published, chainIds, time, append }: NotesProducerOptions,
  stored: Map<number, bigint>,
): Promise<void> {
  const nowMs = time.now()
  const period = published.at(nowMs)
  if (!period) return
  const due = chainIds.flatMap((chainId): (NewEvent & { readonly start: bigint })[] => {
    const start = period.sets.get(chainId)?.period.start
    if (start === undefined || stored.get(chainId) === start) return []
    const body = period.answer({ chainId })?.body
    const dedupeKey = `notes:${chainId}:${start}`
    return body
      ? [{ type: 'notes', chainId, data: body.toString(), createdAt: toSeconds(nowMs), dedupeKey, start }]
      : []
  })
  if (due.length === 0) return
  await append(due)
  for (const { chainId, start } of due) stored.set(chainId, start)
}
