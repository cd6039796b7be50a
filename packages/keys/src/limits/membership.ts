/** Live replicas, as this replica and as others may believe. */
export type Membership = ReturnType<typeof createMembership>

type SeenReplica = { readonly id: string; readonly ageMs: number }

/** Replicas not seen for longer do not count. Five heartbeats. */
export const liveMs = 10_000
/** Every replica reads the list every 250 ms. After this time all of them know a change. */
export const beliefMs = 2_000
/** Two of those readings. After this time all others keep a share for a replica that has joined. */
export const joinMs = 500
// After an outage the rows of all replicas are old until their next heartbeats. Two of them, and a reconnect.
const graceMs = 5_000
// A new replica does not know whether there was an outage, and assumes one of this length.
const unknownOutageMs = 60_000

export function createMembership(id: string) {
  const times = new Map<string, { readonly firstMs: number; readonly lastMs: number }>()
  let updatedMs = Number.NEGATIVE_INFINITY
  let outage = { endedMs: Number.NEGATIVE_INFINITY, durationMs: 0 }
  let live: ReadonlySet<string> = new Set([id])
  let beliefs: readonly (readonly string[])[] = [[id]]
  return {
    update: (replicas: readonly SeenReplica[], monotonicMs: number) => {
      const sinceUpdateMs = monotonicMs - updatedMs
      if (sinceUpdateMs > beliefMs) {
        const durationMs = Number.isFinite(updatedMs) ? sinceUpdateMs : unknownOutageMs
        outage = { endedMs: monotonicMs, durationMs }
      }
      updatedMs = monotonicMs
      // In the grace those count that were live when the outage began, and no longer those that were killed before.
      const sinceOutageMs = monotonicMs - outage.endedMs
      const ageMsMax = liveMs + (sinceOutageMs < graceMs ? outage.durationMs + sinceOutageMs : 0)
      const others = replicas.filter((replica) => replica.id !== id && replica.ageMs < ageMsMax)
      live = new Set([id, ...others.map((replica) => replica.id)])
      // At the first reading the others know each other, but not this replica.
      const isFirst = times.size === 0
      const newSinceMs = isFirst ? Number.NEGATIVE_INFINITY : monotonicMs
      const ownSinceMs = isFirst && others.length > 0 ? monotonicMs + joinMs - beliefMs : newSinceMs
      for (const replica of live) {
        const firstMs = times.get(replica)?.firstMs ?? (replica === id ? ownSinceMs : newSinceMs)
        times.set(replica, { firstMs, lastMs: monotonicMs })
      }
      for (const [replica, { lastMs }] of times) if (monotonicMs - lastMs > beliefMs) times.delete(replica)
      const steady = [...live].filter((replica) => monotonicMs - (times.get(replica)?.firstMs ?? 0) >= beliefMs)
      beliefs = [[...times.keys()].sort(), steady.sort()]
    },
    /** Returns when the last outage ended and how long it took, in monotonic ms. */
    lastOutage: () => outage,
    /** Returns the live replicas, this one included. */
    live: () => live,
    /** Returns the largest and the smallest membership of the last moments, each sorted. */
    beliefs: () => beliefs,
  }
}
