import type { Head } from '../chain-subgraph.ts'
import { type StartTimer, startTimer as startRealTimer } from './start-timer.ts'

export type KnownRemoteHead = {
  /** Returns the head if it is newer than `pollMs`. Counts as traffic. */
  read(): Head | undefined
  /** Records traffic. */
  touch(): void
  /** Records the head of an answer. Ignored if the query was sent before that of the known head. */
  learn(head: Head, askedAtMs: number): void
  close(): void
}

/**
 * Tracks the head of a remote index from its answers. During traffic it calls `poll` when answers are too rare to keep the
 * head current. Without traffic it sends nothing.
 */
export function createKnownRemoteHead({
  pollMs,
  poll,
  monotonicNow,
  startTimer = startRealTimer,
}: {
  /** Maximum age of the head. 0 disables reading and polling. */
  readonly pollMs: number
  /** Queries the head and passes it to `learn`. Does not throw. */
  readonly poll: () => Promise<void>
  readonly monotonicNow: () => number
  readonly startTimer?: StartTimer | undefined
}): KnownRemoteHead {
  let known: { readonly head: Head; readonly askedAtMs: number } | undefined
  let trafficAtMs = Number.NEGATIVE_INFINITY
  let cancelTimer: (() => void) | undefined
  let isPolling = false
  let isClosed = false

  const schedule = () => {
    if (isClosed || isPolling || cancelTimer !== undefined) return
    // At half the maximum age, so that the answer arrives before the known head is too old.
    const ageMs = known ? monotonicNow() - known.askedAtMs : pollMs
    cancelTimer = startTimer(onDue, ageMs < pollMs / 2 ? pollMs / 2 - ageMs : pollMs / 2)
  }
  const onDue = async () => {
    cancelTimer = undefined
    if (monotonicNow() - trafficAtMs >= pollMs) return
    if (known === undefined || monotonicNow() - known.askedAtMs >= pollMs / 2) {
      isPolling = true
      await poll()
      isPolling = false
    }
    schedule()
  }
  const touch = () => {
    if (pollMs === 0) return
    trafficAtMs = monotonicNow()
    schedule()
  }
  return {
    read: () => {
      touch()
      return known && monotonicNow() - known.askedAtMs < pollMs ? known.head : undefined
    },
    touch,
    learn: (head, askedAtMs) => {
      if (known && askedAtMs < known.askedAtMs) return
      known = { head, askedAtMs }
    },
    close: () => {
      isClosed = true
      cancelTimer?.()
    },
  }
}
