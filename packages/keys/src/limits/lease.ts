import { type LeasePeriod, minuteOffsetMs, windowNumberAt, windowStartMs } from './lease-window.ts'

/** Part of a key's limit that this replica may spend. Requests change it, and so does the keeper, never both at once. */
export type Lease = {
  readonly keyId: string
  readonly period: LeasePeriod
  /** Limit of all replicas together. */
  limit: number
  readonly offsetMs: number
  windowNumber: number
  /** Monotonic times of the window. */
  startsAtMs: number
  endsAtMs: number
  spent: number
  /** Most that may be spent in this window. Above `held`, only as much as the share still is. */
  granted: number
  /** Most that may be spent whatever the share is, and what counts if this replica is killed. */
  held: number
  /** What is left to this replica at most, spent requests included, as last known. */
  room: number
  /** Unspent requests of `held` below which it asks for more at once. */
  lowWater: number
  /** Version of the row that contains the last confirmed entry. 0 before the first. */
  version: number
  /** Requests since the last settlement, rejected ones included. */
  attempts: number
  lastAttemptMs: number
  /** Whether the keeper will look at it. */
  isTouched: boolean
  /** Whether nothing more can come in this window. */
  isExhausted: boolean
  /** Settlements in a row that left it without requests to spend. */
  emptySettlements: number
  /** Monotonic time when the database was found to have lost the entry. */
  lostAtMs: number
}

/** Functions of the keeper that a request calls. None of them waits. */
export type LeaseHost = {
  /** Milliseconds from the monotonic to the database's clock. */
  readonly offsetMs: number
  /** Returns what a lease may spend without the database. */
  shareOf(lease: Lease, monotonicMs: number): number
  /** Lists the lease for the next settlement. */
  touch(lease: Lease): void
  /** Settles before the next interval ends, because a lease runs low. */
  settleSoon(): void
}

export function createLease(keyId: string, period: LeasePeriod, limit: number): Lease {
  return {
    keyId,
    period,
    limit,
    offsetMs: period === 'minute' ? minuteOffsetMs(keyId) : 0,
    windowNumber: -1,
    startsAtMs: Number.NEGATIVE_INFINITY,
    endsAtMs: Number.NEGATIVE_INFINITY,
    spent: 0,
    granted: 0,
    held: 0,
    room: 0,
    lowWater: 0,
    version: 0,
    attempts: 0,
    lastAttemptMs: Number.NEGATIVE_INFINITY,
    isTouched: false,
    isExhausted: false,
    emptySettlements: 0,
    lostAtMs: Number.NEGATIVE_INFINITY,
  }
}

/** Moves a lease to the window of an instant. Small steps back of the database's clock do not reopen a window. */
export function rollLease(lease: Lease, host: LeaseHost, monotonicMs: number): void {
  const { period, offsetMs } = lease
  const current = windowNumberAt(period, monotonicMs + host.offsetMs, offsetMs)
  const number = current === lease.windowNumber - 1 ? lease.windowNumber : current
  lease.startsAtMs = windowStartMs(period, number, offsetMs) - host.offsetMs
  lease.endsAtMs = windowStartMs(period, number + 1, offsetMs) - host.offsetMs
  if (number === lease.windowNumber) return
  lease.windowNumber = number
  lease.spent = 0
  lease.lowWater = 0
  lease.version = 0
  lease.isExhausted = false
  lease.emptySettlements = 0
  lease.lostAtMs = Number.NEGATIVE_INFINITY
  lease.granted = host.shareOf(lease, monotonicMs)
  lease.held = lease.granted
  lease.room = lease.granted
}

/** Returns whether a request may be allowed, and reports the demand. */
export function hasRoom(lease: Lease, host: LeaseHost, monotonicMs: number): boolean {
  if (monotonicMs >= lease.endsAtMs) rollLease(lease, host, monotonicMs)
  lease.attempts++
  lease.lastAttemptMs = monotonicMs
  if (!lease.isTouched) host.touch(lease)
  const { spent, held, granted } = lease
  if (spent < held || (spent < granted && spent < host.shareOf(lease, monotonicMs))) return true
  if (!lease.isExhausted) host.settleSoon()
  return false
}

/** Counts an allowed request. */
export function spend(lease: Lease, host: LeaseHost): void {
  lease.spent++
  const left = lease.held - lease.spent
  if (left < lease.lowWater && lease.held < lease.room) host.settleSoon()
}
