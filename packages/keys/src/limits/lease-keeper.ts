import { runOneAtATime, type Time } from '@tallystick/base'
import { createLease, type Lease, type LeaseHost } from './lease.ts'
import { shareOf } from './lease-share.ts'
import type { LeaseStore } from './lease-store.ts'
import type { LeasePeriod } from './lease-window.ts'
import { createMembership, joinMs } from './membership.ts'
import { type LeaseTable, leaseKeyOf, restartWindows, settleLeases } from './settle-leases.ts'

/** Keeps the leases of all keys in step with the database. Requests never wait for it. */
export type LeaseKeeper = LeaseHost & {
  /** Returns the lease of a key's limit. A changed limit changes it within the next settlement. */
  leaseOf(keyId: string, period: LeasePeriod, limit: number): Lease
  /** Forgets the lease of a limit per minute whose windows are over. */
  forget(keyId: string): void
  /**
   * Takes part in the windows that other replicas have begun. Returns the monotonic time from which they keep a share for
   * this replica. Requests before that are refused unless it has a lease.
   */
  join(): Promise<number>
  /** Whether it has read what the others spent before they kept that share. */
  hasJoined(): boolean
  /** Settles the leases that were used and those that other replicas have noticed. Throws if the database fails. */
  settle(): Promise<void>
  /** Reports that the database was restored. The next reading notices it too, unless heartbeats hide it. */
  restart(): void
  /** Gives unspent requests back. Call it after the last request. */
  leave(): Promise<void>
}

export type LeaseKeeperOptions = {
  /** Id of this replica. */
  readonly id: string
  readonly store: LeaseStore
  readonly time: Pick<Time, 'monotonic'>
  /** Whether no other process uses the database. Then only used leases are settled. */
  readonly isAlone?: boolean | undefined
  /** Settles before the next interval ends. Called when a lease runs low. */
  readonly settleSoon?: (() => void) | undefined
  /** Called when the database turns out to be an older one. */
  readonly onRestored?: (() => void) | undefined
}

// A row may become visible this long after its time, if its statement waited.
const overlapMs = 2_000
// Rows of one statement. Further leases wait for the next.
const batchMax = 1_000

export function createLeaseKeeper(options: LeaseKeeperOptions): LeaseKeeper {
  const { id, store, time, isAlone = false, settleSoon = () => undefined, onRestored = () => undefined } = options
  const queue: TouchedLeases = { leases: [] }
  const membership = createMembership(id)
  const hasJoined = () => table.reading !== undefined && table.reading.atMs >= table.joinedAtMs
  const host = {
    offsetMs: 0,
    shareOf: (lease: Lease, monotonicMs: number) => {
      const { joinedAtMs } = table
      // Others may have begun an earlier window before they counted this replica. A later reading has their entries.
      const hasRead = lease.startsAtMs >= joinedAtMs || hasJoined()
      if (table.hasLeft || monotonicMs < joinedAtMs || !hasRead) return 0
      const { keyId, limit } = lease
      return Math.min(...membership.beliefs().map((members) => shareOf({ keyId, limit, members, id })))
    },
    touch: (lease: Lease) => {
      lease.isTouched = true
      queue.leases.push(lease)
    },
    settleSoon,
  }
  const table: LeaseTable = {
    id,
    store,
    time,
    host,
    membership,
    onRestored,
    leases: new Map(),
    reading: undefined,
    hasLeft: false,
    joinedAtMs: Number.POSITIVE_INFINITY,
    replicas: [],
    restored: { atMs: Number.NEGATIVE_INFINITY, members: new Set<string>() },
  }
  return Object.assign(host, {
    leaseOf: (keyId: string, period: LeasePeriod, limit: number) => findLease(table, { keyId, period, limit }),
    forget: (keyId: string) => void table.leases.delete(leaseKeyOf({ keyId, period: 'minute' })),
    join: async () => {
      await settleLeases(table, [], 0)
      const isFirst = membership.live().size === 1
      table.joinedAtMs = isFirst && table.reading ? table.reading.atMs : time.monotonic() + joinMs
      return table.joinedAtMs
    },
    hasJoined,
    settle: runOneAtATime(async () => {
      if (isAlone && queue.leases.length === 0) return
      // When the others keep a share for this replica, it takes that of the windows that they have begun.
      await settleTouched(table, queue, hasJoined() ? (table.reading?.value.clockMs ?? 0) - overlapMs : 0)
    }),
    restart: () => restartWindows(table),
    leave: () => giveBack(table),
  })
}

/** Leases that were used since the last settlement. */
type TouchedLeases = { leases: Lease[] }

function findLease(
  { leases, host }: LeaseTable,
  { keyId, period, limit }: { readonly keyId: string; readonly period: LeasePeriod; readonly limit: number },
): Lease {
  const name = leaseKeyOf({ keyId, period })
  const lease = leases.get(name) ?? createLease(keyId, period, limit)
  leases.set(name, lease)
  if (lease.limit === limit) return lease
  lease.limit = limit
  lease.isExhausted = false
  if (!lease.isTouched) host.touch(lease)
  return lease
}

async function settleTouched(table: LeaseTable, queue: TouchedLeases, sinceMs: number): Promise<void> {
  const batch = queue.leases.slice(0, batchMax)
  queue.leases = queue.leases.slice(batchMax)
  for (const lease of batch) lease.isTouched = false
  await settleLeases(table, batch, sinceMs).catch((error) => {
    for (const lease of batch) {
      if (!lease.isTouched) table.host.touch(lease)
      // Nothing can come while the database is away.
      lease.isExhausted = lease.spent >= lease.granted
    }
    throw error
  })
}

async function giveBack(table: LeaseTable): Promise<void> {
  table.hasLeft = true
  const nowMs = table.time.monotonic()
  const used = [...table.leases.values()].filter((lease) => nowMs < lease.endsAtMs && lease.granted > 0)
  for (const lease of used) {
    lease.granted = lease.spent
    lease.held = lease.spent
  }
  for (let start = 0; start < used.length; start += batchMax) {
    await settleLeases(table, used.slice(start, start + batchMax), Number.MAX_SAFE_INTEGER)
  }
}
