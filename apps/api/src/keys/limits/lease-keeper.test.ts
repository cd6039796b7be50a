import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasRoom, spend } from './lease.ts'
import { createLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts'
import type { LeaseStore, NamedLeaseRow } from './lease-store.ts'

const keyId = 'key_000000000001'
const stepMs = 250

/** Database and replicas of one key, with a clock that the test advances. */
function createCluster(limit: number, random: () => number) {
  let nowMs = 1_800_000_000_000
  let isAway = false
  let isLossy = false
  const rows = new Map<string, NamedLeaseRow & { readonly noticedMs: number }>()
  const seen = new Map<string, number>()
  /** Allowed requests by number of their window. */
  const allowed = new Map<number, number>()
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

  const createReplica = (name: string, clockOffsetMs: number) => {
    const monotonicNow = () => nowMs - clockOffsetMs
    let keeper: LeaseKeeper | undefined
    let demand = 0
    const tryRequest = () => {
      if (!keeper) return false
      const lease = keeper.leaseOf(keyId, 'minute', limit)
      if (!hasRoom(lease, keeper, monotonicNow())) return false
      spend(lease, keeper)
      allowed.set(lease.windowNumber, (allowed.get(lease.windowNumber) ?? 0) + 1)
      return true
    }
    return {
      name,
      join: async () => {
        seen.set(name, nowMs)
        const own = createLeaseKeeper({ id: name, store: createStore(() => demand > 0 && tryRequest()), monotonicNow })
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
        if (!isAway) seen.set(name, nowMs)
        for (let count = Math.floor(demand + random()); count > 0; count--) tryRequest()
        await keeper.settle().catch(() => undefined)
      },
      /** Ends without giving anything back. */
      kill: () => {
        keeper = undefined
      },
      stop: async () => {
        const own = keeper
        keeper = undefined
        await own?.leave().catch(() => undefined)
        if (!isAway) seen.delete(name)
      },
    }
  }

  const step = async () => {
    nowMs += stepMs
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
  }
}

type Cluster = ReturnType<typeof createCluster>

async function run(cluster: Cluster, seconds: number): Promise<void> {
  for (let step = 0; step < (seconds * 1000) / stepMs; step++) await cluster.step()
}

/** Windows that began and ended in the run. */
function wholeWindows({ allowed }: Cluster): number[] {
  const numbers = [...allowed.keys()].sort((a, b) => a - b)
  return numbers.slice(1, -1).map((number) => allowed.get(number) ?? 0)
}

const limits = fc.constantFrom(1, 2, 5, 7, 20, 60, 600)
const commands = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('run' as const), seconds: fc.integer({ min: 1, max: 40 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('demand' as const),
        at: fc.nat(7),
        perStep: fc.constantFrom(0, 0.1, 1, 5, 50, 100),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom('add', 'kill', 'stop', 'away', 'back', 'lossy', 'reliable'),
        at: fc.nat(7),
      }),
    },
  ),
  { minLength: 5, maxLength: 40 },
)

/** Numbers in [0, 1) by Mulberry32. A stream of fast-check would take most of the time. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

async function obey(
  cluster: Cluster,
  command: typeof commands extends fc.Arbitrary<(infer Command)[]> ? Command : never,
) {
  if (command.kind === 'run') return run(cluster, command.seconds)
  const replica = cluster.replicas[command.at % cluster.replicas.length]
  if (command.kind === 'demand') replica?.setDemand(command.perStep)
  else if (command.kind === 'add') await cluster.add(command.at * 1e9)
  else if (command.kind === 'kill') replica?.kill()
  else if (command.kind === 'stop') await replica?.stop()
  else if (command.kind === 'away' || command.kind === 'back') cluster.setAway(command.kind === 'away')
  else cluster.setLossy(command.kind === 'lossy')
}

async function checkLimit(numRuns: number) {
  await fc.assert(
    fc.asyncProperty(
      limits,
      fc.integer({ min: 1, max: 4 }),
      commands,
      fc.integer(),
      async (limit, count, script, seed) => {
        const cluster = createCluster(limit, createRandom(seed))
        for (let index = 0; index < count; index++) await cluster.add(index * 12_345_678)
        for (const command of script) await obey(cluster, command)
        expect(Math.max(0, ...cluster.allowed.values())).toBeLessThanOrEqual(limit)
      },
    ),
    // Repeatable. A course with seed -1214250003 allows one request more than a limit of 1.
    { numRuns, seed: 33 },
  )
}

test('behavior: whatever happens to replicas, database and clocks, a window never has more than the limit', () =>
  checkLimit(8))

test('behavior: the same for 30 random courses of events', { tags: ['slow'] }, () => checkLimit(30))

async function checkUse(numRuns: number) {
  const spreads = fc.array(fc.constantFrom(0, 0.2, 3, 100), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(limits, spreads, fc.nat(4), fc.integer(), async (limit, spread, most, seed) => {
      const cluster = createCluster(limit, createRandom(seed))
      for (const _ of spread) await cluster.add()
      await run(cluster, 3)
      for (const [index, perStep] of spread.entries()) cluster.replicas[index]?.setDemand(perStep)
      cluster.replicas[most % spread.length]?.setDemand(limit / 100)
      await run(cluster, 200)
      const counts = wholeWindows(cluster)
      expect(counts.length).toBeGreaterThan(1)
      for (const count of counts) expect([limit, count]).toEqual([limit, within(limit * 0.95, limit)])
    }),
    { numRuns },
  )
}

test('behavior: with ample demand a minute has at least 95 % of the limit, however the demand is spread', () =>
  checkUse(2))

test('behavior: the same for 12 random spreads', { tags: ['slow'] }, () => checkUse(12))

test('behavior: a killed replica costs at most its hold in its last minute and nothing later', async () => {
  const cluster = createCluster(600, createRandom(1))
  for (let index = 0; index < 3; index++) await cluster.add()
  for (const replica of cluster.replicas) replica.setDemand(1.5)
  await run(cluster, 130)
  cluster.replicas[1]?.kill()
  cluster.replicas[0]?.setDemand(3)
  await run(cluster, 200)
  for (const count of wholeWindows(cluster)) expect(count).toEqual(within(600 * 0.95, 600))
})

test('behavior: without the database each replica has its share, and the rest of a lease that it took before', async () => {
  const cluster = createCluster(600, createRandom(2))
  for (let index = 0; index < 3; index++) await cluster.add()
  cluster.replicas[0]?.setDemand(50)
  await run(cluster, 130)
  cluster.setAway(true)
  await run(cluster, 180)
  expect(wholeWindows(cluster)).toEqual([600, expect.any(Number), 200, 200])
  cluster.replicas[1]?.setDemand(50)
  cluster.replicas[2]?.setDemand(50)
  await run(cluster, 120)
  expect(wholeWindows(cluster).at(-1)).toBe(600)
  // What was spent meanwhile counts when the database is back.
  cluster.setAway(false)
  await run(cluster, 120)
  for (const count of wholeWindows(cluster)) expect(count).toBeLessThanOrEqual(600)
  expect(wholeWindows(cluster).at(-1)).toEqual(within(570, 600))
})

test.each([1, 2, 5])('behavior: a limit of %i can be used up from any single replica', async (limit) => {
  for (const user of [0, 1, 2]) {
    const cluster = createCluster(limit, createRandom(user))
    for (let index = 0; index < 3; index++) await cluster.add()
    await run(cluster, 3)
    cluster.replicas[user]?.setDemand(0.5)
    await run(cluster, 250)
    for (const count of wholeWindows(cluster)) expect(count).toBe(limit)
  }
})

test('behavior: a database that lost the leases gives nothing more to those who had some', async () => {
  const cluster = createCluster(600, createRandom(3))
  for (let index = 0; index < 2; index++) await cluster.add()
  await run(cluster, 3)
  for (const replica of cluster.replicas) replica.setDemand(50)
  await run(cluster, 30)
  cluster.loseRows()
  await run(cluster, 10)
  cluster.loseRows()
  await run(cluster, 200)
  expect(Math.max(...cluster.allowed.values())).toBeLessThanOrEqual(600)
})

function within(from: number, to: number) {
  return { asymmetricMatch: (value: unknown) => typeof value === 'number' && value >= from && value <= to }
}
