import { createRandom } from '@tallystick/workbench/random'
import { hasRoom, spend } from '../src/limits/lease.ts'
import { createLeaseKeeper, type LeaseKeeper } from '../src/limits/lease-keeper.ts'
import type { LeaseStore, NamedLeaseRow } from '../src/limits/lease-store.ts'

const keyId = 'key_000000000001'
export const stepMs = 250

type StoredRow = NamedLeaseRow & { readonly noticedMs: number }

// Every 2 s.
const heartbeatSteps = 8

function add(counts: Map<number, number>, windowNumber: number, count: number): void {
  counts.set(windowNumber, (counts.get(windowNumber) ?? 0) + count)
}

/** Database and replicas of one key, with a clock that the test advances. */
export function createCluster(limit: number, seed: number) {
  // A stream of fast-check would take most of the time.
  const random = createRandom(seed)
  let nowMs = 1_800_000_000_000
  let isAway = false
  let isLossy = false
  const rows = new Map<string, StoredRow>()
  const seen = new Map<string, number>()
  /** Requests by number of their window: allowed ones, those of replicas that have ended, and those that nobody knows of. */
  const allowed = new Map<number, number>()
  const ended = new Map<number, number>()
  const unknown = new Map<number, number>()
  let steps = 0
  let saved: { readonly rows: readonly [string, StoredRow][]; readonly seen: readonly [string, number][] } = {
    rows: [],
    seen: [],
  }
  const replicas: Replica[] = []
  type Replica = ReturnType<typeof createReplica>

  const createStore = (use: () => unknown): LeaseStore => {
    const travel = async () => {
      for (let turn = Math.floor(random() * 6); turn > 0; turn--) await undefined
      // Requests go on while a statement is under way.
      if (random() < 0.3) use()
      if (isAway) throw new Error('away')
    }
    return {
      read: async ({ sinceMs, wanted }) => {
        await travel()
        const names = new Set(wanted.map(({ windowNumber }) => String(windowNumber)))
        const found = [...rows.values()].filter((row) => row.noticedMs > sinceMs || names.has(String(row.windowNumber)))
        const reading = {
          nowMs,
          clockMs: nowMs,
          replicas: [...seen].map(([id, seenMs]) => ({ id, ageMs: nowMs - seenMs })),
          rows: found,
        }
        await travel()
        return reading
      },
      write: async (changes) => {
        await travel()
        const written = changes.filter((change) => {
          const name = `${change.keyId} ${change.period} ${change.windowNumber}`
          const known = rows.get(name)
          if (known && known.version !== change.version - 1) return false
          rows.set(name, { ...change, noticedMs: change.isNoticed ? nowMs : (known?.noticedMs ?? nowMs) })
          return true
        })
        // The connection breaks after the statement was done.
        if (isLossy && random() < 0.5) throw new Error('lost')
        await travel()
        return new Set(written.map((change) => `${change.keyId} ${change.period} ${change.windowNumber}`))
      },
    }
  }

  /** Counts what a replica had allowed when it ended, and how much of that never reached the database. */
  const bury = (name: string, keeper: LeaseKeeper | undefined) => {
    const lease = keeper?.leaseOf(keyId, 'minute', limit)
    if (!lease) return
    const { windowNumber, spent } = lease
    const entry = rows.get(`${keyId} minute ${windowNumber}`)?.entries[name]
    add(ended, windowNumber, spent)
    add(unknown, windowNumber, Math.max(0, spent - (entry?.held ?? entry?.granted ?? 0)))
  }

  const createReplica = (name: string, clockOffsetMs: number) => {
    const heartbeatStep = Math.floor(random() * heartbeatSteps)
    let lastHeartbeatMs = 0
    const sendHeartbeat = () => {
      if ((seen.get(name) ?? -1) < lastHeartbeatMs) keeper?.restart()
      lastHeartbeatMs = nowMs
      seen.set(name, nowMs)
    }
    const time = { monotonic: () => nowMs - clockOffsetMs }
    let keeper: LeaseKeeper | undefined
    let demand = 0
    const tryRequest = () => {
      if (!keeper) return false
      const lease = keeper.leaseOf(keyId, 'minute', limit)
      if (!hasRoom(lease, keeper, time.monotonic())) return false
      spend(lease, keeper)
      add(allowed, lease.windowNumber, 1)
      return true
    }
    return {
      name,
      isRunning: () => keeper !== undefined,
      tryRequest,
      join: async () => {
        sendHeartbeat()
        const own = createLeaseKeeper({ id: name, store: createStore(() => demand > 0 && tryRequest()), time })
        own.leaseOf(keyId, 'minute', limit)
        await own.join().then(
          () => {
            keeper = own
          },
          () => seen.delete(name),
        )
      },
      setDemand: (perStep: number) => {
        demand = perStep
      },
      step: async () => {
        if (!keeper) return
        if (!isAway && steps % heartbeatSteps === heartbeatStep) sendHeartbeat()
        for (let count = Math.floor(demand + random()); count > 0; count--) tryRequest()
        await keeper.settle().catch(() => undefined)
      },
      /** Ends without giving anything back. */
      kill: () => {
        bury(name, keeper)
        keeper = undefined
      },
      stop: async () => {
        const own = keeper
        keeper = undefined
        await own?.leave().catch(() => undefined)
        bury(name, own)
        if (!isAway) seen.delete(name)
      },
    }
  }

  const step = async () => {
    nowMs += stepMs
    steps++
    await Promise.all(replicas.map((replica) => replica.step()))
  }

  return {
    allowed,
    replicas,
    add: async (clockOffsetMs = 0) => {
      if (isAway) return
      const replica = createReplica(`replica ${replicas.length}`, clockOffsetMs)
      replicas.push(replica)
      await replica.join()
      // The start of a service needs the database for longer than the others need to notice it.
      for (let count = 0; count < 4; count++) await step()
    },
    step,
    setAway: (away: boolean) => {
      isAway = away
    },
    setLossy: (lossy: boolean) => {
      isLossy = lossy
    },
    loseRows: () => rows.clear(),
    save: () => {
      saved = { rows: [...rows], seen: [...seen] }
    },
    /** Restores the saved database. What has ended meanwhile is known to nobody. */
    restore: () => {
      rows.clear()
      seen.clear()
      for (const [key, row] of saved.rows) rows.set(key, row)
      for (const [key, seenMs] of saved.seen) seen.set(key, seenMs)
      for (const [windowNumber, count] of ended) add(unknown, windowNumber, count)
    },
    /** Returns how many requests the fullest window had above the limit, without those that nobody can know of. */
    excess: () => Math.max(0, ...[...allowed].map(([number, count]) => count - limit - (unknown.get(number) ?? 0))),
  }
}

export type Cluster = ReturnType<typeof createCluster>

export async function run(cluster: Cluster, seconds: number): Promise<void> {
  for (let step = 0; step < (seconds * 1000) / stepMs; step++) await cluster.step()
}

/** Windows that began and ended in the run. */
export function wholeWindows({ allowed }: Cluster): number[] {
  const numbers = [...allowed.keys()].sort((a, b) => a - b)
  return numbers.slice(1, -1).map((number) => allowed.get(number) ?? 0)
}
