import { expect, test } from 'vitest'
import { createLease, hasRoom, type Lease, type LeaseHost, rollLease, spend } from './lease.ts'
import { minuteOffsetMs } from './lease-window.ts'

const keyId = 'key_000000000001'
// The database's clock is ahead of the monotonic one.
const offsetMs = 1_800_000_000_000
const hour = 3_600_000
const day = 86_400_000

/** Host that gives a share and counts its calls. */
function createHost(share = 3): LeaseHost & { offsetMs: number; touched: Lease[]; settledEarly: number } {
  const host = {
    offsetMs,
    touched: [] as Lease[],
    settledEarly: 0,
    shareOf: () => share,
    touch: (lease: Lease) => {
      lease.isTouched = true
      host.touched.push(lease)
    },
    settleSoon: () => {
      host.settledEarly++
    },
  }
  return host
}

// 1,800,000,000,000 is 08:00 UTC: the day began 8 h before and ends in 16 h.
const dayStartMs = -8 * hour

test('default: the first request opens the window of the database’s clock, with a share', () => {
  const host = createHost()
  const lease = createLease(keyId, 'day', 100)
  expect(lease).toMatchObject({ offsetMs: 0, isTouched: false, isExhausted: false, windowNumber: -1 })
  expect(hasRoom(lease, host, 0)).toBe(true)
  expect(lease).toMatchObject({
    ...{ windowNumber: Math.floor(offsetMs / day), startsAtMs: dayStartMs, endsAtMs: dayStartMs + day },
    ...{ granted: 3, room: 3, spent: 0, attempts: 1, lastAttemptMs: 0 },
  })
  expect(host.touched).toEqual([lease])
})

test('default: the minutes of a key have their own offset', () => {
  const host = createHost()
  const lease = createLease(keyId, 'minute', 100)
  expect(lease.offsetMs).toBe(minuteOffsetMs(keyId))
  expect(lease.offsetMs).not.toBe(0)
  rollLease(lease, host, 0)
  expect((lease.startsAtMs + offsetMs - lease.offsetMs) % 60_000).toBe(0)
  expect(lease.endsAtMs - lease.startsAtMs).toBe(60_000)
  expect(lease.startsAtMs).toBeLessThanOrEqual(0)
  expect(lease.endsAtMs).toBeGreaterThan(0)
})

test('behavior: requests are counted, and the keeper is told of a lease once', () => {
  const host = createHost(2)
  const lease = createLease(keyId, 'day', 100)
  for (const ms of [1, 2, 3]) if (hasRoom(lease, host, ms)) spend(lease, host)
  expect(lease).toMatchObject({ spent: 2, attempts: 3, lastAttemptMs: 3 })
  expect(host.touched).toEqual([lease])
})

test('behavior: a request without room asks for more at once, unless nothing can come', () => {
  const host = createHost(0)
  const lease = createLease(keyId, 'day', 100)
  expect(hasRoom(lease, host, 1)).toBe(false)
  expect(host.settledEarly).toBe(1)
  lease.isExhausted = true
  expect(hasRoom(lease, host, 2)).toBe(false)
  expect(host.settledEarly).toBe(1)
})

test('behavior: beyond what it holds, a lease has its share as it is now, at most what was granted', () => {
  const allowed = (share: number) => {
    const host = createHost(share)
    const lease = createLease(keyId, 'day', 100)
    rollLease(lease, host, 0)
    Object.assign(lease, { granted: 7, held: 4 })
    let count = 0
    for (; count < 20 && hasRoom(lease, host, 0); count++) spend(lease, host)
    return count
  }
  expect([0, 5, 50].map(allowed)).toEqual([4, 5, 7])
})

test.each([
  [{ held: 10, lowWater: 5, room: 20 }, 5, 0],
  [{ held: 10, lowWater: 5, room: 20 }, 6, 1],
  [{ held: 10, lowWater: 5, room: 10 }, 6, 0],
  [{ held: 10, lowWater: 0, room: 20 }, 10, 0],
])('behavior: of %o, %i requests settle early %i times', (grant, count, settledEarly) => {
  const host = createHost()
  const lease = { ...createLease(keyId, 'day', 100), ...grant }
  for (let index = 0; index < count; index++) spend(lease, host)
  expect([lease.spent, host.settledEarly]).toEqual([count, settledEarly])
})

test('behavior: the window ends at its last millisecond, and the next starts with nothing of it', () => {
  const host = createHost()
  const lease = createLease(keyId, 'day', 100)
  hasRoom(lease, host, 0)
  const used = {
    ...{ spent: 3, granted: 9, held: 9, room: 12, lowWater: 4, version: 6 },
    ...{ isExhausted: true, lostAtMs: 5, emptySettlements: 5 },
  }
  Object.assign(lease, used)
  hasRoom(lease, host, dayStartMs + day - 1)
  expect(lease).toMatchObject(used)
  hasRoom(lease, host, dayStartMs + day)
  expect(lease).toMatchObject({
    ...{ spent: 0, granted: 3, held: 3, room: 3, lowWater: 0, version: 0 },
    ...{ isExhausted: false, lostAtMs: Number.NEGATIVE_INFINITY, emptySettlements: 0 },
    ...{ startsAtMs: dayStartMs + day, endsAtMs: dayStartMs + 2 * day, attempts: 3 },
  })
})

test('behavior: a small step back of the database’s clock does not reopen a window, a large one opens it', () => {
  const host = createHost()
  const lease = createLease(keyId, 'day', 100)
  hasRoom(lease, host, dayStartMs + day)
  spend(lease, host)
  const { windowNumber } = lease
  host.offsetMs = offsetMs - 10
  rollLease(lease, host, dayStartMs + day)
  expect(lease).toMatchObject({ windowNumber, spent: 1, startsAtMs: dayStartMs + day + 10 })
  host.offsetMs = offsetMs - day - 10
  rollLease(lease, host, dayStartMs + day)
  expect(lease).toMatchObject({ windowNumber: windowNumber - 2, spent: 0 })
})

test('behavior: within a window requests do not look at the clock again', () => {
  const host = createHost()
  const lease = createLease(keyId, 'day', 100)
  hasRoom(lease, host, 0)
  host.offsetMs = offsetMs + 5 * day
  hasRoom(lease, host, 1)
  expect(lease.windowNumber).toBe(Math.floor(offsetMs / day))
})
