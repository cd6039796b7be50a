import type { Time } from '@tallystick/base'
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
  readonly time: Pick<Time, 'monotonic'>
  readonly host: LeaseHost & { offsetMs: number }
  readonly membership: Membership
  /** Leases by key and period. */
  readonly leases: Map<string, Lease>
  /** Last reading and its monotonic time, and the time of the last one that the clock was set by. */
  reading: { readonly atMs: number; readonly exactAtMs: number; readonly value: LeaseReading } | undefined
  /** Monotonic time from which the others keep a share for this replica. */
  joinedAtMs: number
  /** Whether unspent requests are given back. */
  hasLeft: boolean
  /** Last time that the database turned out to be an older one, and the replicas that were live before. */
  restored: { readonly atMs: number; readonly members: ReadonlySet<string> }
  /** Replicas of the last reading. After a restore, those that were live before count until they can have sent a heartbeat. */
  replicas: LeaseReading['replicas']
  readonly onRestored: () => void
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
    rollLease(lease, table.host, table.time.monotonic())
    const name = nameOf(lease)
    const settlement = decide(table, lease, rows.get(textOf(name)))
    // Reduced before the others can take it. It is raised only when the database has confirmed it.
    lease.granted = Math.min(lease.granted, settlement.entry.granted)
    lease.held = Math.min(lease.held, settlement.entry.held)
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
  const startedMs = table.time.monotonic()
  const value = await table.store.read({ sinceMs, wanted: wanted.map(nameOf) })
  const elapsedMs = table.time.monotonic() - startedMs
  const { reading, host } = table
  // The database read its clock in between. A process that was suspended meanwhile would be wrong by half of that time.
  const isExact = elapsedMs < exactMs || reading === undefined || startedMs - reading.exactAtMs > clockMs
  if (isExact) host.offsetMs = value.nowMs - startedMs - elapsedMs / 2
  table.reading = { atMs: startedMs, exactAtMs: isExact || !reading ? startedMs : reading.exactAtMs, value }
  if (reading && isOlder(value, reading.value, table.id)) restartWindows(table)
  table.replicas = isRestoring(table, startedMs) ? keepMembers(value.replicas, table.restored.members) : value.replicas
  table.membership.update(table.replicas, startedMs)
  return new Map(value.rows.map((row) => [textOf(row), row]))
}

// A statement reads its clock more than once.
const readingToleranceMs = 1_000

/** Returns whether a reading has an earlier heartbeat than the one before it, or none of this replica: a restore. */
function isOlder(reading: LeaseReading, before: LeaseReading, own: string): boolean {
  const heartbeats = new Map(reading.replicas.map(({ id, ageMs }) => [id, reading.clockMs - ageMs]))
  return before.replicas.some(({ id, ageMs }) => {
    // Others may have stopped.
    const heartbeatMs = heartbeats.get(id) ?? (id === own ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY)
    return heartbeatMs < before.clockMs - ageMs - readingToleranceMs
  })
}

/**
 * Starts the current windows with what this replica knows: it writes all its entries again, and takes no more until the
 * others have done the same.
 */
export function restartWindows(table: LeaseTable): void {
  const monotonicMs = table.time.monotonic()
  const isKnown = isRestoring(table, monotonicMs)
  table.restored = { atMs: monotonicMs, members: isKnown ? table.restored.members : table.membership.live() }
  for (const lease of table.leases.values())
    if (!lease.isTouched && lease.spent > 0 && monotonicMs < lease.endsAtMs) table.host.touch(lease)
  if (!isKnown) table.onRestored()
}

function isRestoring({ restored }: LeaseTable, monotonicMs: number): boolean {
  return monotonicMs < restored.atMs + liveMs
}

function keepMembers(replicas: LeaseReading['replicas'], members: ReadonlySet<string>): LeaseReading['replicas'] {
  const others = replicas.filter(({ id }) => !members.has(id))
  return [...others, ...[...members].map((id) => ({ id, ageMs: 0 }))]
}

function decide(table: LeaseTable, lease: Lease, row: NamedLeaseRow | undefined): Settlement {
  const { membership, hasLeft } = table
  const monotonicMs = table.time.monotonic()
  const { keyId, period, limit, spent, granted, attempts: demand } = lease
  const isLost = lease.version > 0 && ((row?.version ?? 0) < lease.version || !row?.entries[table.id])
  if (isLost) lease.lostAtMs = monotonicMs
  lease.attempts = 0
  const hold = hasLeft ? 0 : holdOf({ period, limit, members: membership.live().size, demand })
  lease.lowWater = hold / 2
  const isIdle = hasLeft || monotonicMs - lease.lastAttemptMs > idleMs
  return settleLease(row, {
    keyId,
    limit,
    spent,
    granted,
    members: membersOf(table, lease, monotonicMs),
    // Before its first entry of a window it has its share only. If it held all of it, a kill would leave nothing to the next.
    held: lease.version === 0 ? spent : lease.held,
    hold,
    isIdle,
    share: table.host.shareOf(lease, monotonicMs),
    // In a window that began later, the others keep its share until it has an entry.
    isExpected: lease.startsAtMs >= table.joinedAtMs,
    isFrozen: isRestoring(table, monotonicMs) || monotonicMs < lease.lostAtMs + liveMs,
    isExact: period !== 'minute',
  })
}

function membersOf({ id, membership, replicas }: LeaseTable, lease: Lease, monotonicMs: number): Members {
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
    lease.held = settlement.entry.held
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
