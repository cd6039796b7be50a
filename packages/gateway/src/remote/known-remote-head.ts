import type { Time, Timer } from '@tallystick/base'
import type { Head } from '../chain-subgraph.ts'

export type KnownRemoteHead = {
  /** Returns the head if it is newer than `pollMs`. Counts as traffic. */
  read(): Head | undefined
  /** Records traffic. */
  touch(): void
  /** Records the head of an answer. Ignored if the query was sent before that of the known head. */
  learn(head: Head, askedAtMs: number): void
  close(): void
}

type KnownRemoteHeadOptions = {
  /** Maximum age of the head. 0 disables reading and polling. */
  readonly pollMs: number
  /** Queries the head and passes it to `learn`. Does not throw. */
  readonly poll: () => Promise<void>
  readonly time: Pick<Time, 'monotonic' | 'setTimer'>
}

/**
 * Tracks the head of a remote index from its answers. During traffic it calls `poll` when answers are too rare to keep the
 * head current. Without traffic it sends nothing.
 */
export function createKnownRemoteHead({ pollMs, poll, time }: KnownRemoteHeadOptions): KnownRemoteHead {
  let known: { readonly head: Head; readonly askedAtMs: number } | undefined
  let trafficAtMs = Number.NEGATIVE_INFINITY
  let timer: Timer | undefined
  let isPolling = false
  let isClosed = false

  const schedule = () => {
    if (isClosed || isPolling || timer !== undefined) return
    // At half the maximum age, so that the answer arrives before the known head is too old.
    const ageMs = known ? time.monotonic() - known.askedAtMs : pollMs
    const ms = ageMs < pollMs / 2 ? pollMs / 2 - ageMs : pollMs / 2
    timer = time.setTimer({ name: 'subgraph head', ms }, onDue)
  }
  const onDue = async () => {
    timer = undefined
    if (time.monotonic() - trafficAtMs >= pollMs) return
    if (known === undefined || time.monotonic() - known.askedAtMs >= pollMs / 2) {
      isPolling = true
      await poll()
      isPolling = false
    }
    schedule()
  }
  const touch = () => {
    if (pollMs === 0) return
    trafficAtMs = time.monotonic()
    schedule()
  }
  return {
    read: () => {
      touch()
      return known && time.monotonic() - known.askedAtMs < pollMs ? known.head : undefined
    },
    touch,
    learn: (head, askedAtMs) => {
      if (known && askedAtMs < known.askedAtMs) return
      known = { head, askedAtMs }
    },
    close: () => {
      isClosed = true
      timer?.stop()
    },
  }
}
