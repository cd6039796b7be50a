// @module-tag postgres

import { openDatabase } from '@tallystick/database'
import { minuteOffsetMs } from '@tallystick/keys'
import { type PostgresServer, startPostgres } from '@tallystick/workbench/postgres'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { beforeAll, expect, test, vi } from 'vitest'
import { atMost } from '../../base/test/test-time.ts'
import { createDeferrals, createKey, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
// The least of which a replica can hold no more than a fortieth.
const rpm = 400
const baseMs = Date.now()
/** Time of the limits. It advances only when the test says so. */
let virtualMs = 0
let server: PostgresServer
let replicas: readonly [TestService, TestService]
let key: { readonly id: string; readonly secret: string }
let isSecondDead = false
let firstId: string | undefined

const settlements = [0, 0]
const time = { monotonic: () => virtualMs, waits: { limits: atMost(5) } }
const limitsOf = (index: number) => ({
  databaseShiftMs: () => baseMs + virtualMs - Date.now(),
  onSettled: () => {
    settlements[index] = (settlements[index] as number) + 1
  },
})

/** Waits until each live replica has settled twice. In real time that takes half a second. */
async function settled(): Promise<void> {
  const before = [...settlements]
  const live = isSecondDead ? [0] : [0, 1]
  await vi.waitUntil(() => live.every((index) => Number(settlements[index]) >= Number(before[index]) + 2), {
    ...waitOptions,
    interval: 2,
  })
}

beforeAll(async () => {
  server = await startPostgres()
  defer(server.stop)
  await server.createDatabase('limits')
  const databaseUrl = `${server.url('limits')}?connect_timeout=60`
  const first = await start({ databaseUrl, time, limits: limitsOf(0) }, defer)
  const [row] = await first.database.query<{ id: string }>('select id from replicas')
  firstId = row?.id
  const own = await openDatabase(databaseUrl)
  // A killed process sends nothing more.
  const query: typeof own.query = (...statement) =>
    isSecondDead ? Promise.reject(new Error('killed')) : own.query(...statement)
  replicas = [first, await start({ databaseUrl, time, limits: limitsOf(1), database: { ...own, query } }, defer)]
  key = await createKey(first, { rpm })
  await vi.waitUntil(async () => (await get(replicas[1])).status === 200, waitOptions)
  return finish
})

const get = (service: TestService) => service.call('/notes', { headers: { 'x-api-key': key.secret } })

/**
 * Advances the time to second 5 of the key's next minute. A replica measures the database's time, and is wrong by the
 * duration of a statement: it may begin or end a minute early or late.
 */
function startMinute(): void {
  const nowMs = baseMs + virtualMs - minuteOffsetMs(key.id)
  virtualMs += 65_000 - (nowMs % 60_000)
}

/** Sends requests for some seconds of the current minute, at most 50. Returns how many each replica allowed. */
async function demand(seconds: number, perSecond: readonly [number, number]): Promise<[number, number]> {
  const allowed: [number, number] = [0, 0]
  for (let second = 0; second < seconds; second++) {
    const sent = perSecond.flatMap((count, index) => Array.from({ length: count }, () => index as 0 | 1))
    await Promise.all(
      sent.map(async (index) => {
        const { status } = await get(replicas[index])
        if (status === 200) allowed[index]++
        else expect(status).toBe(429)
      }),
    )
    virtualMs += 1_000
    await settled()
  }
  return allowed
}

/** Waits for both replicas. Heartbeats are in real time, and the time of the limits is faster: an outage outdates them. */
async function freshHeartbeats(): Promise<void> {
  const fresh = "select id from replicas where seen_at > clock_timestamp() - interval '3 s'"
  const count = () => replicas[0].database.query(fresh).then(({ length }) => length)
  await vi.waitUntil(async () => (await count().catch(() => 0)) === 2, waitOptions)
}

const reconnected = () =>
  vi.waitFor(async () => {
    for (const replica of replicas) expect((await replica.admin('/keys')).status).toBe(200)
  }, waitOptions)

const sum = (...counts: readonly (readonly [number, number])[]) => counts.flat().reduce((a, b) => a + b, 0)
const whole = { asymmetricMatch: (count: unknown) => Number(count) >= rpm * 0.95 && Number(count) <= rpm }

test('default: two replicas together allow the limit of a key, however the requests are spread', async () => {
  startMinute()
  expect(sum(await demand(50, [5, 5]))).toEqual(whole)
  startMinute()
  const answers = await demand(50, [9, 0])
  expect(answers).toEqual([whole, 0])
  const refused = await get(replicas[1])
  expect([refused.status, refused.json().code]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(10)
})

test('behavior: while the database is away each replica has its share, together never more than the limit', async () => {
  startMinute()
  expect(await demand(10, [7, 0])).toEqual([70, 0])
  await server.halt('SIGQUIT')
  // At once, and in the minute in which the database was lost.
  expect(await demand(40, [7, 7])).toEqual([rpm / 2 - 70, rpm / 2])
  startMinute()
  expect(await demand(20, [14, 14])).toEqual([rpm / 2, rpm / 2])
  const refused = await get(replicas[0])
  expect(refused.status).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30)
  await server.resume()
  await reconnected()
  // What was spent without the database counts.
  expect(await demand(10, [7, 7])).toEqual([0, 0])
})

test('behavior: while the database stalls, a client at 30 % of its limit is not refused', async () => {
  await freshHeartbeats()
  startMinute()
  // The time has jumped.
  await demand(3, [1, 1])
  startMinute()
  await demand(3, [1, 1])
  const resume = await server.stall()
  try {
    const allowed = await Promise.all(
      Array.from({ length: 100 }, (_, turn) => get(replicas[(turn % 2) as 0 | 1]).then(({ status }) => status)),
    )
    expect(new Set(allowed)).toEqual(new Set([200]))
  } finally {
    resume()
  }
  await settled()
})

test('behavior: a restored database gives nothing a second time', { tags: 'slow' }, async () => {
  await freshHeartbeats()
  startMinute()
  const first = await demand(5, [40, 1])
  await server.halt('SIGINT')
  const restore = await server.save()
  await server.resume()
  await freshHeartbeats()
  const second = await demand(6, [40, 0])
  await server.halt('SIGQUIT')
  await restore()
  await server.resume()
  await freshHeartbeats()
  // The entry that the second replica finds of the first is the one of the copy.
  const third = await demand(5, [0, 40])
  expect(sum(first, second)).toBeGreaterThan(rpm / 2)
  expect(sum(first, second, third)).toBeLessThanOrEqual(rpm)
})

test('behavior: a killed replica costs less than 5 % of its minute, and the other one then has the whole limit', async () => {
  await freshHeartbeats()
  startMinute()
  await vi.waitUntil(async () => (await get(replicas[0])).status === 200, waitOptions)
  await demand(6, [1, 1])
  startMinute()
  const before = await demand(20, [4, 4])
  isSecondDead = true
  // As if 10 s had passed since its last heartbeat.
  await replicas[0].database.query("update replicas set seen_at = seen_at - interval '5 minutes' where id <> $1", [
    firstId,
  ])
  expect(sum(before, await demand(30, [10, 0]))).toEqual(whole)
  startMinute()
  expect(await demand(50, [9, 0])).toEqual([whole, 0])
})
