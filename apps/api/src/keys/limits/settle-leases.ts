import { type Lease, type LeaseHost, rollLease } from './lease.ts'
import { holdOf } from './lease-share.ts'
import type { LeaseName, LeaseReading, LeaseStore, NamedLeaseRow } from './lease-store.ts'
import type { LeasePeriod } from './lease-window.ts'
import { liveMs, type Membership } from './membership.ts'
import { type Members, type Settlement, settleLease } from './settle-lease.ts'

/** State of a keeper that settlements use. */
export type LeaseTable = {
  readonly id: string
  readonly store: LeaseStore
  readonly monotonicNow: () => number
  readonly host: LeaseHost & { offsetMs: number }
  readonly membership: Membership
  /** Leases by key and period. */
  readonly leases: Map<string, Lease>
  /** Last reading and its monotonic time, and the time of the last one that the clock was set by. */
  reading: { readonly atMs: number; readonly exactAtMs: number; readonly value: LeaseReading } | undefined
  /** Whether unspent requests are given back. */
  hasLeft: boolean
}

const idleMs = 2_000
const exactMs = 500
// Two clocks drift by less than 10 ms in this time.
const clockMs = 60_000
const roundsMax = 4
// Two seconds without anything to spend: the other replicas keep what they have.
const emptyMax = 8

/** Settles the wanted leases and those whose rows were noticed since an instant. Retries what others changed meanwhile. */
export async function settleLeases(table: LeaseTable, wanted: readonly Lease[], sinceMs: number): Promise<void> {
  let pending = wanted
  for (let round = 0; round < roundsMax; round++) {
    pending = await settleOnce(table, pending, sinceMs)
    if (pending.length === 0) return
  }
  for (const lease of pending) if (!lease.isTouched) table.host.touch(lease)
}

export function leaseKeyOf({ keyId, period }: { readonly keyId: string; readonly period: LeasePeriod }): string {
  return `${keyId} ${period}`
}

type Change = { readonly lease: Lease; readonly settlement: Settlement; readonly name: LeaseName }

/** Settles leases once. Returns those whose rows another replica has changed meanwhile. */
async function settleOnce(table: LeaseTable, wanted: readonly Lease[], sinceMs: number): Promise<readonly Lease[]> {
  const rows = await readRows(table, wanted, sinceMs)
  const noticed = [...rows.values()].flatMap((row) => table.leases.get(leaseKeyOf(row)) ?? [])
  const changes: Change[] = []
  for (const lease of new Set([...wanted, ...noticed])) {
    rollLease(lease, table.host, table.monotonicNow())
    const name = nameOf(lease)
    const settlement = decide(table, lease, rows.get(textOf(name)))
    // Reduced before the others can take it. It is raised only when the database has confirmed it.
    lease.granted = Math.min(lease.granted, settlement.entry.granted)
    if (settlement.isChanged) changes.push({ lease, settlement, name })
    else apply(lease, settlement)
  }
  return changes.length === 0 ? [] : writeChanges(table, changes)
}

async function readRows(
  table: LeaseTable,
  wanted: readonly Lease[],
  sinceMs: number,
): Promise<ReadonlyMap<string, NamedLeaseRow>> {
  const startedMs = table.monotonicNow()
  const value = await table.store.read({ sinceMs, wanted: wanted.map(nameOf) })
  const elapsedMs = table.monotonicNow() - startedMs
  const { reading, host } = table
  // The database read its clock in between. A process that was suspended meanwhile would be wrong by half of that time.
  const isExact = elapsedMs < exactMs || reading === undefined || startedMs - reading.exactAtMs > clockMs
  if (isExact) host.offsetMs = value.nowMs - startedMs - elapsedMs / 2
  table.reading = { atMs: startedMs, exactAtMs: isExact || !reading ? startedMs : reading.exactAtMs, value }
  table.membership.update(value.replicas, startedMs)
  return new Map(value.rows.map((row) => [textOf(row), row]))
}

function decide(table: LeaseTable, lease: Lease, row: NamedLeaseRow | undefined): Settlement {
  const { membership, hasLeft } = table
  const monotonicMs = table.monotonicNow()
  const { period, limit, attempts: demand } = lease
  lease.isFrozen ||= (row?.version ?? 0) < lease.version
  lease.attempts = 0
  const hold = hasLeft ? 0 : holdOf({ period, limit, members: membership.live().size, demand })
  lease.lowWater = hold / 2
  const isIdle = hasLeft || monotonicMs - lease.lastAttemptMs > idleMs
  return settleLease(row, {
    ...lease,
    members: membersOf(table, lease, monotonicMs),
    hold,
    isIdle,
    isExact: period !== 'minute',
  })
}

function membersOf({ id, membership, reading }: LeaseTable, lease: Lease, monotonicMs: number): Members {
  const replicas = reading?.value.replicas ?? []
  // A replica that was alive in this minute may have spent its share. For longer windows that would cost too much.
  const { endedMs, durationMs } = membership.lastOutage()
  // In a window of an outage, it may also have spent its share after its last heartbeat.
  const spendingSinceMs = lease.startsAtMs < endedMs ? endedMs - durationMs - liveMs : lease.startsAtMs
  const windowAgeMs = lease.period === 'minute' ? monotonicMs - Math.min(lease.startsAtMs, spendingSinceMs) : 0
  const live = membership.live()
  const reserving = replicas.filter((replica) => live.has(replica.id) || replica.ageMs < windowAgeMs)
  return {
    id,
    live,
    beliefs: membership.beliefs(),
    reserving: reserving.map((replica) => replica.id),
    known: new Set(replicas.map((replica) => replica.id)),
  }
}

/** Writes the changes and applies those that were written. Returns the leases of the others. */
async function writeChanges({ store, host }: LeaseTable, changes: readonly Change[]): Promise<readonly Lease[]> {
  const written = await store.write(
    changes.map(({ name, settlement, lease }) => ({
      ...name,
      ...settlement.row,
      endsAtMs: lease.endsAtMs + host.offsetMs,
      isNoticed: settlement.isNoticed,
    })),
  )
  return changes.flatMap(({ lease, settlement, name }) => {
    if (name.windowNumber !== lease.windowNumber) return []
    if (!written.has(textOf(name))) return [lease]
    lease.granted = settlement.entry.granted
    lease.version = settlement.row.version
    apply(lease, settlement)
    return []
  })
}

function apply(lease: Lease, { room, isExhausted }: Settlement): void {
  lease.room = Math.max(room, lease.granted)
  lease.emptySettlements = lease.spent < lease.granted ? 0 : lease.emptySettlements + 1
  lease.isExhausted = isExhausted || lease.emptySettlements > emptyMax
}

function nameOf({ keyId, period, windowNumber }: Lease): LeaseName {
  return { keyId, period, windowNumber }
}

function textOf({ keyId, period, windowNumber }: LeaseName): string {
  return `${keyId} ${period} ${windowNumber}`
}
