import type { Head } from '../chain-subgraph.ts'

export type KnownRemoteHead = {
  /** The head, while that is known from less than `pollMs` ago. Reading it counts as traffic. */
  read(): Head | undefined
  /** Counts as traffic as well. */
  touch(): void
  /** Takes what an answer said; one asked for before an answer that was heard already is older, and does not count. */
  learn(head: Head, askedAtMs: number): void
  close(): void
}

/**
 * The head of a remote index, as far as answers have told. While there is traffic and they do not tell often enough, `poll`
 * asks, so that the knowledge never gets too old to be used; without traffic nothing is asked.
 */
export function createKnownRemoteHead({
  pollMs,
  poll,
  monotonicNow,
}: {
  /** How old the knowledge may be; 0 is never use it, and never ask. */
  readonly pollMs: number
  /** Asks for the head, and tells `learn` of it. Does not throw. */
  readonly poll: () => Promise<void>
  readonly monotonicNow: () => number
}): KnownRemoteHead {
  let known: { readonly head: Head; readonly askedAtMs: number } | undefined
  let trafficAtMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let isPolling = false
  let isOver = false

  const schedule = () => {
    if (isOver || isPolling || timer !== undefined) return
    // Half-way, so that the answer is there before what it replaces is too old.
    const ageMs = known ? monotonicNow() - known.askedAtMs : pollMs
    timer = setTimeout(onDue, ageMs < pollMs / 2 ? pollMs / 2 - ageMs : pollMs / 2)
    timer.unref()
  }
  const onDue = async () => {
    timer = undefined
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
      isOver = true
      clearTimeout(timer)
    },
  }
}
