import { describe, expect, test } from 'vitest'
import { hasRoom, type Lease, spend } from './lease.ts'
import { createLeaseKeeper, type LeaseKeeper, type LeaseKeeperOptions } from './lease-keeper.ts'
import { shareOf } from './lease-share.ts'
import type { LeaseReading, LeaseStore, NamedLeaseRow } from './lease-store.ts'

type LeaseChange = Parameters<LeaseStore['write']>[0][number]

const keyId = 'key_000000000001'
// 08:00 UTC. The monotonic clock starts at 0, so a day lease ends after 16 hours.
const epochMs = 1_800_000_000_000
const dayEndMs = 16 * 3_600_000

/** Database and clock of one replica `a`. The test sets what the database answers. */
function createWorld(options: Partial<LeaseKeeperOptions> = {}) {
  const world = {
    nowMs: 0,
    /** How long each statement takes. */
    travelMs: 0,
    replicas: [{ id: 'a', ageMs: 0 }] as LeaseReading['replicas'],
    rows: [] as readonly NamedLeaseRow[],
    reads: [] as Parameters<LeaseStore['read']>[0][],
    writes: [] as (readonly LeaseChange[])[],
    settledEarly: 0,
    /** Decides whether a change is written. */
    accepts: (_change: LeaseChange): boolean => true,
    onRead: () => {},
    onWrite: () => {},
  }
  const store: LeaseStore = {
    read: async (asked) => {
      world.reads.push(asked)
      world.onRead()
      const nowMs = epochMs + world.nowMs + world.travelMs / 2
      world.nowMs += world.travelMs
      return { nowMs, clockMs: nowMs, replicas: world.replicas, rows: world.rows }
    },
    write: async (changes) => {
      world.writes.push(changes)
      world.onWrite()
      const written = changes.filter((change) => world.accepts(change))
      return new Set(written.map((change) => `${change.keyId} ${change.period} ${change.windowNumber}`))
    },
  }
  const settleSoon = () => {
    world.settledEarly++
  }
  const keeper = createLeaseKeeper({ id: 'a', store, time: { monotonic: () => world.nowMs }, settleSoon, ...options })
  return Object.assign(world, { keeper })
}

/** Uses a lease as requests do. Returns how many were allowed. */
function request(keeper: LeaseKeeper, lease: Lease, nowMs: number, count = 1): number {
  let allowed = 0
  for (let index = 0; index < count; index++) {
    if (!hasRoom(lease, keeper, nowMs)) continue
    spend(lease, keeper)
    allowed++
  }
  return allowed
}

const others = (...ids: readonly string[]) => ['a', ...ids].map((id) => ({ id, ageMs: 0 }))

test('default: a replica alone has the whole limit at once, by its first reading', async () => {
  const world = createWorld()
  const lease = world.keeper.leaseOf(keyId, 'day', 100)
  expect(world.keeper.hasJoined()).toBe(false)
  expect(request(world.keeper, lease, 0)).toBe(0)
  world.nowMs = 40
  expect(await world.keeper.join()).toBe(40)
  expect(world.keeper.hasJoined()).toBe(true)
  expect(world.reads).toEqual([{ sinceMs: 0, wanted: [] }])
  expect(request(world.keeper, world.keeper.leaseOf('key_2', 'day', 100), 40, 101)).toBe(100)
})

test('behavior: beside others it has its share 500 ms later, after another reading', async () => {
  const world = createWorld()
  world.replicas = others('b', 'c')
  expect(await world.keeper.join()).toBe(500)
  const allowedOf = (name: string, nowMs: number) => {
    world.nowMs = nowMs
    return request(world.keeper, world.keeper.leaseOf(name, 'day', 90), nowMs, 90)
  }
  expect(allowedOf('key_1', 499)).toBe(0)
  // The window is older than the time to join, so others may have spent all of it.
  expect(allowedOf('key_2', 500)).toBe(0)
  expect(world.keeper.hasJoined()).toBe(false)
  await world.keeper.settle()
  expect(world.keeper.hasJoined()).toBe(true)
  expect(allowedOf('key_3', 500)).toBe(30)
})

test('behavior: a window that began after the time to join needs no other reading', async () => {
  const world = createWorld()
  world.replicas = others('b', 'c')
  world.travelMs = 100
  expect(await world.keeper.join()).toBe(600)
  world.nowMs = 520
  await world.keeper.settle()
  expect(world.keeper.hasJoined()).toBe(false)
  const lease = world.keeper.leaseOf(keyId, 'day', 90)
  expect(request(world.keeper, lease, 599, 90)).toBe(0)
  expect(request(world.keeper, lease, dayEndMs - 1, 90)).toBe(0)
  expect(request(world.keeper, lease, dayEndMs, 90)).toBe(30)
})

test('behavior: the share is the smallest of what any replica may believe', async () => {
  const world = createWorld()
  world.replicas = others('b')
  await world.keeper.join()
  for (const nowMs of [500, 1_500, 2_500]) {
    world.nowMs = nowMs
    await world.keeper.settle()
  }
  world.replicas = others('b', 'c')
  world.nowMs = 3_000
  await world.keeper.settle()
  // `b` may not know `c` yet, and `c` knows all three.
  const lease = world.keeper.leaseOf(keyId, 'day', 90)
  expect(request(world.keeper, lease, 3_000, 90)).toBe(
    Math.min(
      shareOf({ keyId, limit: 90, members: ['a', 'b'], id: 'a' }),
      shareOf({ keyId, limit: 90, members: ['a', 'b', 'c'], id: 'a' }),
    ),
  )
})

test('behavior: without other processes only used leases are settled', async () => {
  const world = createWorld({ isAlone: true })
  await world.keeper.join()
  await world.keeper.settle()
  expect(world.reads).toHaveLength(1)
  request(world.keeper, world.keeper.leaseOf(keyId, 'day', 100), 0)
  await world.keeper.settle()
  expect(world.reads).toHaveLength(2)
  // With other processes, what they have noticed is read too.
  const shared = createWorld()
  await shared.keeper.join()
  await shared.keeper.settle()
  expect(shared.reads).toEqual([
    { sinceMs: 0, wanted: [] },
    { sinceMs: epochMs - 2_000, wanted: [] },
  ])
})

test('default: a used lease is written with its hold, its end and its version', async () => {
  const world = createWorld()
  await world.keeper.join()
  const lease = world.keeper.leaseOf(keyId, 'day', 4_000)
  expect(request(world.keeper, lease, 0, 30)).toBe(30)
  await world.keeper.settle()
  expect(world.reads.at(-1)?.wanted).toEqual([{ keyId, period: 'day', windowNumber: 20_833 }])
  expect(world.writes).toEqual([
    [
      {
        ...{ keyId, period: 'day', windowNumber: 20_833, endsAtMs: epochMs + dayEndMs, isNoticed: true },
        ...{ version: 1, gone: 0, entries: { a: { granted: 4_000, held: 130, spent: 30, short: false } } },
      },
    ],
  ])
  expect(lease).toMatchObject({
    granted: 4_000,
    held: 130,
    room: 4_000,
    lowWater: 50,
    version: 1,
    attempts: 0,
    isTouched: false,
  })
  expect(lease).toMatchObject({ emptySettlements: 0, isExhausted: false })
})

test.each([
  ['day', 2],
  ['minute', 1],
] as const)('behavior: of a %s, two requests after each other are %i writes', async (period, writes) => {
  const world = createWorld()
  await world.keeper.join()
  const lease = world.keeper.leaseOf(keyId, period, 4_000)
  for (let count = 0; count < 2; count++) {
    request(world.keeper, lease, 0)
    await world.keeper.settle()
    world.rows = world.writes.at(-1) as readonly LeaseChange[]
  }
  expect(world.writes).toHaveLength(writes)
})

test('behavior: a row that another replica changed is settled without a request', async () => {
  const world = createWorld()
  await world.keeper.join()
  const lease = world.keeper.leaseOf(keyId, 'minute', 600)
  request(world.keeper, lease, 0)
  await world.keeper.settle()
  const [change] = world.writes[0] as readonly LeaseChange[]
  const b = { granted: 449, spent: 449, short: true }
  world.replicas = others('b')
  world.rows = [{ ...(change as NamedLeaseRow), version: 2, entries: { ...change?.entries, b } }]
  // Idle only after more than 2 s: then everything unspent is for the other.
  for (const [nowMs, granted] of [
    [2_000, 16],
    [2_001, 1],
  ] as const) {
    world.nowMs = nowMs
    await world.keeper.settle()
    expect(lease.granted).toBe(granted)
    world.rows = world.writes.at(-1) as readonly LeaseChange[]
  }
  expect(world.reads.at(-1)?.wanted).toEqual([])
})

test('behavior: a change that is rejected is tried four times, then with the next settlement', async () => {
  const world = createWorld()
  await world.keeper.join()
  const lease = world.keeper.leaseOf(keyId, 'day', 4_000)
  request(world.keeper, lease, 0)
  const granted = lease.granted
  world.accepts = () => false
  await world.keeper.settle()
  expect([world.writes.length, lease.version, lease.isTouched]).toEqual([4, 0, true])
  // Nothing is raised before the database has confirmed it, and what is given up is given up before.
  expect(lease.granted).toBeLessThanOrEqual(granted)
  world.accepts = () => true
  await world.keeper.settle()
  expect([world.writes.length, lease.version, lease.isTouched]).toEqual([5, 1, false])
})

test('behavior: a settlement of a window that has ended meanwhile changes nothing of the next', async () => {
  const world = createWorld()
  await world.keeper.join()
  const lease = world.keeper.leaseOf(keyId, 'day', 4_000)
  request(world.keeper, lease, 0)
  world.onWrite = () => {
    world.nowMs = dayEndMs
    request(world.keeper, lease, dayEndMs)
  }
  await world.keeper.settle()
  expect(world.writes).toHaveLength(1)
  expect(lease).toMatchObject({ windowNumber: 20_834, version: 0, spent: 1, granted: 4_000 })
})

test('behavior: a database that lost the entry gives no more for 10 s, until all others have written what they know', async () => {
  const world = createWorld()
  world.replicas = others('b')
  await world.keeper.join()
  world.nowMs = 500
  await world.keeper.settle()
  const lease = world.keeper.leaseOf(keyId, 'day', 4_000)
  request(world.keeper, lease, 500, 1_997)
  await world.keeper.settle()
  expect(lease).toMatchObject({ spent: 1_997, granted: 2_000, held: 2_000 })
  const b = { granted: 2_000, held: 100, spent: 0, short: false }
  world.rows = [{ keyId, period: 'day', windowNumber: lease.windowNumber, version: 9, gone: 0, entries: { b } }]
  for (const nowMs of [1_000, 10_999, 11_000]) {
    world.nowMs = nowMs
    request(world.keeper, lease, nowMs)
    await world.keeper.settle()
    const isFrozen = nowMs < 11_000
    expect([lease.granted > 2_000, world.writes.at(-1)?.[0]?.isNoticed]).toEqual([!isFrozen, isFrozen])
    const [change] = world.writes.at(-1) as readonly LeaseChange[]
    world.rows = [{ ...(change as NamedLeaseRow), entries: { ...change?.entries, b: { ...b, granted: 100 } } }]
  }
})

test('behavior: after a restore, every entry is written again with what this replica has counted', async () => {
  let restored = 0
  const world = createWorld({ onRestored: () => restored++ })
  world.replicas = [
    { id: 'a', ageMs: 900 },
    { id: 'b', ageMs: 500 },
  ]
  await world.keeper.join()
  world.nowMs = 500
  await world.keeper.settle()
  const [used, unused] = ['key_1', 'key_2'].map((name) => world.keeper.leaseOf(name, 'day', 4_000)) as [Lease, Lease]
  request(world.keeper, used, 500, 5)
  hasRoom(unused, world.keeper, 500)
  await world.keeper.settle()
  await world.keeper.settle()
  const before = world.writes.length
  // Heartbeats of a second ago have the same time as before, those of a minute ago an earlier one.
  world.replicas = world.replicas.map((replica) => ({ ...replica, ageMs: replica.ageMs + 1_000 }))
  await world.keeper.settle()
  expect([restored, used.isTouched]).toEqual([0, false])
  world.replicas = [world.replicas[0], { id: 'b', ageMs: 60_000 }] as LeaseReading['replicas']
  await world.keeper.settle()
  expect([restored, used.isTouched, unused.isTouched]).toEqual([1, true, false])
  await world.keeper.settle()
  expect(world.writes.slice(before)).toMatchObject([
    [{ keyId: 'key_1', isNoticed: true, entries: { a: { granted: 2_000, held: 25, spent: 5 } } }],
  ])
})

test('behavior: in a window that begins after a restore, a replica holds a part of its share and keeps the rest', async () => {
  const world = createWorld()
  world.replicas = others('b')
  await world.keeper.join()
  world.nowMs = 500
  await world.keeper.settle()
  world.keeper.restart()
  const lease = world.keeper.leaseOf(keyId, 'minute', 60)
  expect(request(world.keeper, lease, 500)).toBe(1)
  await world.keeper.settle()
  expect(world.writes.at(-1)).toMatchObject([{ entries: { a: { granted: 30, held: 11, spent: 1, short: false } } }])
  expect(request(world.keeper, lease, world.nowMs, 60)).toBe(29)
})

test('behavior: after nine settlements with nothing to spend, it does not ask any more', async () => {
  const world = createWorld()
  world.replicas = others('b')
  await world.keeper.join()
  world.nowMs = 500
  const lease = world.keeper.leaseOf(keyId, 'minute', 600)
  const b = { granted: 600, spent: 100, short: false }
  world.rows = [{ keyId, period: 'minute', windowNumber: 0, version: 1, gone: 0, entries: { b } }]
  request(world.keeper, lease, 500)
  world.rows = world.rows.map((row) => ({ ...row, windowNumber: lease.windowNumber }))
  for (let count = 1; count <= 9; count++) {
    expect(lease.isExhausted).toBe(false)
    request(world.keeper, lease, 500)
    await world.keeper.settle()
    expect(lease.emptySettlements).toBe(count)
    world.rows = world.writes.at(-1) as readonly LeaseChange[]
  }
  expect(lease.isExhausted).toBe(true)
  const { settledEarly } = world
  request(world.keeper, lease, 500)
  expect(world.settledEarly).toBe(settledEarly)
  // Something to spend begins the count again.
  world.rows = world.rows.map((row) => ({ ...row, entries: { ...row.entries, b: { ...b, granted: 100 } } }))
  await world.keeper.settle()
  expect(lease).toMatchObject({ emptySettlements: 0, isExhausted: false })
})

test('behavior: the clock is set by a fast reading, or by any after a minute', async () => {
  const world = createWorld()
  world.travelMs = 400
  await world.keeper.join()
  expect(world.keeper.offsetMs).toBe(epochMs)
  // The database's clock seems to be 100 ms ahead, because the answer took its time on the way back.
  const readAt = async (nowMs: number, travelMs: number) => {
    world.nowMs = nowMs
    world.travelMs = travelMs
    await world.keeper.settle()
    return world.keeper.offsetMs - epochMs
  }
  world.onRead = () => {
    world.nowMs += 100
  }
  expect(await readAt(1_000, 398)).toBe(50)
  world.onRead = () => {
    world.nowMs += 200
  }
  expect(await readAt(2_000, 300)).toBe(50)
  expect(await readAt(61_000, 300)).toBe(50)
  expect(await readAt(61_001, 300)).toBe(100)
  expect(await readAt(62_000, 299)).toBe(100)
})

test('behavior: when the database fails, its leases are settled later and ask for nothing meanwhile', async () => {
  const world = createWorld()
  await world.keeper.join()
  const [empty, half] = ['key_1', 'key_2'].map((name) => world.keeper.leaseOf(name, 'day', 10)) as [Lease, Lease]
  request(world.keeper, empty, 0, 10)
  request(world.keeper, half, 0, 5)
  world.onRead = () => {
    throw new Error('away')
  }
  await expect(world.keeper.settle()).rejects.toThrow('away')
  expect([empty.isExhausted, half.isExhausted]).toEqual([true, false])
  expect([empty.isTouched, half.isTouched]).toEqual([true, true])
  // A request during the statement has listed the lease already.
  world.onRead = () => {
    request(world.keeper, half, 0)
    throw new Error('away')
  }
  await expect(world.keeper.settle()).rejects.toThrow('away')
  world.onRead = () => {}
  await world.keeper.settle()
  expect(
    world.reads
      .at(-1)
      ?.wanted.map((name) => name.keyId)
      .sort(),
  ).toEqual(['key_1', 'key_2'])
})

test('behavior: a statement has at most 1,000 leases, and the others wait for the next', async () => {
  const world = createWorld()
  await world.keeper.join()
  const leases = Array.from({ length: 1_001 }, (_, index) => world.keeper.leaseOf(`key_${index}`, 'day', 10))
  for (const lease of leases) request(world.keeper, lease, 0)
  await world.keeper.settle()
  await world.keeper.settle()
  await world.keeper.settle()
  expect(world.reads.slice(1).map(({ wanted }) => wanted.length)).toEqual([1_000, 1, 0])
  await world.keeper.leave()
  expect(world.writes.map((changes) => changes.length)).toEqual([1_000, 1, 1_000, 1])
})

test('behavior: a changed limit is settled at once', async () => {
  const world = createWorld()
  await world.keeper.join()
  const lease = world.keeper.leaseOf(keyId, 'day', 10)
  request(world.keeper, lease, 0, 10)
  await world.keeper.settle()
  lease.isExhausted = true
  expect(world.keeper.leaseOf(keyId, 'day', 10)).toBe(lease)
  expect([lease.isExhausted, lease.isTouched]).toEqual([true, false])
  expect(world.keeper.leaseOf(keyId, 'day', 20)).toBe(lease)
  expect([lease.limit, lease.isExhausted, lease.isTouched]).toEqual([20, false, true])
  expect(world.keeper.leaseOf(keyId, 'month', 10)).not.toBe(lease)
  expect(world.keeper.leaseOf('key_2', 'day', 10)).not.toBe(lease)
})

test('behavior: a replica that leaves gives back what it has not spent, and takes nothing more', async () => {
  const world = createWorld()
  await world.keeper.join()
  const [used, , old] = ['key_1', 'key_2', 'key_3'].map((name) => world.keeper.leaseOf(name, 'day', 100)) as Lease[]
  request(world.keeper, old as Lease, 0)
  world.nowMs = dayEndMs
  request(world.keeper, used as Lease, dayEndMs, 5)
  const { reads } = world
  await world.keeper.leave()
  expect(reads.at(-1)).toEqual({
    sinceMs: Number.MAX_SAFE_INTEGER,
    wanted: [{ keyId: 'key_1', period: 'day', windowNumber: 20_834 }],
  })
  expect(world.writes).toMatchObject([[{ keyId: 'key_1', entries: { a: { granted: 5, spent: 5, short: false } } }]])
  expect(used).toMatchObject({ granted: 5, spent: 5 })
  expect(request(world.keeper, world.keeper.leaseOf('key_4', 'day', 100), dayEndMs)).toBe(0)
})

describe('the share of a replica that was killed, which has 20 s or more without a heartbeat', () => {
  /** Settles until the window of a lease has an age. Statements of some seconds before that fail. */
  async function settleAt(windowAgeMs: number, b: { readonly ageMs: number; readonly outageMs?: number }) {
    const world = createWorld()
    await world.keeper.join()
    const [minute, day] = [world.keeper.leaseOf(keyId, 'minute', 600), world.keeper.leaseOf(keyId, 'day', 4_000)]
    hasRoom(minute, world.keeper, 0)
    const startMs = minute.endsAtMs + 60_000
    const outage = { startMs: startMs + 5_000, endMs: startMs + 5_000 + (b.outageMs ?? 0) }
    for (let nowMs = 1_000; nowMs < startMs + windowAgeMs; nowMs += 1_000) {
      if (nowMs > outage.startMs && nowMs < outage.endMs) continue
      world.nowMs = nowMs
      await world.keeper.settle()
    }
    world.nowMs = startMs + windowAgeMs
    world.replicas = [
      { id: 'a', ageMs: 0 },
      { id: 'b', ageMs: b.ageMs },
    ]
    for (const lease of [minute, day]) hasRoom(lease, world.keeper, world.nowMs)
    await world.keeper.settle()
    return { minute: minute.room, day: day.room }
  }

  test('default: is kept in a minute that began before its last heartbeat, and not in longer windows', async () => {
    expect(await settleAt(30_000, { ageMs: 29_999 })).toEqual({ minute: 300, day: 4_000 })
    expect(await settleAt(30_000, { ageMs: 30_000 })).toEqual({ minute: 600, day: 4_000 })
  })

  test('behavior: is kept for longer after an outage, in which nobody saw its heartbeats', async () => {
    const withOutage = (ageMs: number) => settleAt(40_000, { ageMs, outageMs: 20_000 })
    const without = await settleAt(40_000, { ageMs: 45_000 })
    expect(without.minute).toBe(600)
    expect((await withOutage(45_000)).minute).toBe(300)
    expect((await withOutage(60_000)).minute).toBe(600)
  })
})
