import { expect, test } from 'vitest'
import { toFramed } from './event-frame.ts'
import { findStart } from './replay-events.ts'
import type { EventFeed } from './start-event-feed.ts'

const nowSeconds = 1_800_000_000n
const daySeconds = 86_400n
const eventAt = (id: bigint, createdAt: bigint) =>
  toFramed({ id, tag: `tag${id}`, type: 'status', chainId: 324, data: '{}', createdAt })

/** Finds the start of a stream at `0-0` with the first event that is stored. The newest one is event 9. */
function startAtZero(first: ReturnType<typeof eventAt>) {
  const newest = eventAt(9n, nowSeconds)
  const feed: EventFeed = {
    position: newest,
    resets: 0,
    recentAfter: () => undefined,
    find: () => undefined,
    refresh: async () => undefined,
    stop: async () => undefined,
  }
  const past = { find: async (id: bigint) => [first, newest].find((event) => event.id === id), read: async () => [] }
  return findStart({ feed, past, nowSeconds }, { id: 0n, tag: '0' })
}

test('behavior: the start of the history is a position while all its events are stored', async () => {
  expect(await startAtZero(eventAt(1n, nowSeconds - 3n * daySeconds))).toMatchObject({
    position: { id: 0n },
    isReset: false,
  })
})

test.each([
  ['the first event may have been deleted', eventAt(2n, nowSeconds)],
  ['later events may have been deleted', eventAt(1n, nowSeconds - 3n * daySeconds - 1n)],
])('error: it is a reset if %s', async (_, first) => {
  expect(await startAtZero(first)).toMatchObject({ position: { id: 9n }, isReset: true })
})
