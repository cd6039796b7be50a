import { createHmac } from 'node:crypto'
import { deleteOldEvents } from '@tallystick/notify'
import type { DatabaseEngine } from '@tallystick/workbench/test-database'
import { describe, expect, test } from 'vitest'
import { ok, type Received, type Receiver, type Respond, startReceiver } from './hook-receiver.ts'
import { createHookWorld, type HookWorld, noon } from './hooks-harness.ts'

const hourMs = 3_600_000
const refuse: Respond = (response) => response.writeHead(500).end()

async function add(world: HookWorld, receiver: Receiver, request: object = {}) {
  return world.operator.addHook({ url: `${receiver.url}?token=t0ken`, types: ['notes', 'status'], ...request })
}

const dataOf = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body).data.n)
const idsOf = ({ received }: Receiver) => received.map(({ headers }) => headers['webhook-id'])
const numbered = (...numbers: readonly number[]) => numbers.map((n) => ({ data: JSON.stringify({ n }) }))
const arrive = (receiver: Receiver, count: number) => expect.poll(() => receiver.received.length).toBe(count)
const statusesOf = async (world: HookWorld, id: string) =>
  (await world.operator.listDeliveries(id)).deliveries.map(({ status, attempts }) => `${status} ${attempts}`)
const listed = async ({ operator }: HookWorld, id: string) =>
  (await operator.listHooks()).hooks.find((hook) => hook.id === id)!

/** Returns the names of the secrets that signed a request. */
function signersOf({ headers, body }: Received, secrets: Readonly<Record<string, string>>): string[] {
  const signatures = String(headers['webhook-signature']).split(' ')
  const names = signatures.map((signature) => {
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const isBy = (secret: string) => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      return signature === `v1,${createHmac('sha256', key).update(content).digest('base64')}`
    }
    return Object.keys(secrets).find((name) => isBy(secrets[name] as string)) ?? 'unknown'
  })
  return names
}

describe('on postgres', () => testEngine('postgres'))
// PGlite takes longer to start.
describe('on pglite', { tags: 'slow' }, () => testEngine('pglite'))

function testEngine(engine: DatabaseEngine): void {
  test('default: each hook gets the events after its creation, of its types and chain, in order and signed', async () => {
    const world = await createHookWorld(engine)
    const [all, one] = [await startReceiver(), await startReceiver()]
    await world.append(...numbered(1))
    const { hook, secret } = await add(world, all)
    const narrow = await add(world, one, { types: ['rate'], chainId: 10 })
    await world.startReplica()
    await world.append(
      ...numbered(2),
      { type: 'rate', data: '{"n":3}' },
      { type: 'rate', chainId: 10, data: '{"n":4}' },
      { type: 'status', chainId: 10, data: '{"n":5}' },
      ...numbered(6),
    )
    await arrive(all, 3)
    await arrive(one, 1)
    expect([dataOf(all), dataOf(one)]).toEqual([[2, 5, 6], [4]])
    expect(all.received[0]).toMatchObject({
      path: '/hook?token=t0ken',
      body: '{"type":"notes","timestamp":"2026-11-15T17:00:00.000Z","data":{"n":2}}',
      headers: { 'webhook-timestamp': String(Date.parse(noon) / 1000) },
    })
    expect(new Set(idsOf(all)).size).toBe(3)
    expect(signersOf(all.received[2] as Received, { secret })).toEqual(['secret'])
    await expect.poll(() => statusesOf(world, hook.id)).toEqual(Array(3).fill('delivered 1'))
    await expect.poll(() => listed(world, narrow.hook.id)).toMatchObject({ waiting: 0, status: 'active' })
    expect(world.metrics.expose()).toContain('tallystick_hook_attempts_total{outcome="delivered"} 4')
  })
}

test('behavior: the next event waits until the one before succeeded; other hooks do not wait', async () => {
  const world = await createHookWorld()
  const [bad, good] = [await startReceiver({ respond: refuse }), await startReceiver()]
  const { hook } = await add(world, bad)
  await add(world, good)
  const replica = await world.startReplica()
  await world.append(...numbered(1, 2))
  await arrive(good, 2)
  await expect.poll(() => statusesOf(world, hook.id)).toEqual(['retrying 1'])
  expect(await listed(world, hook.id)).toMatchObject({
    ...{ status: 'failing', attempts: 1, waiting: 2, lastError: 'status 500' },
    nextAttemptAt: '2026-11-15T17:00:05Z',
  })
  await expect
    .poll(() => replica.check())
    .toMatchObject({ severity: 'ok', message: '1 failing, retried automatically' })
  world.clock.hold(Date.parse(noon) + 4_999)
  await world.append(...numbered(3))
  await arrive(good, 3)
  expect(dataOf(bad)).toEqual([1])
  world.clock.hold(Date.parse(noon) + 5_000)
  await arrive(bad, 2)
  await expect.poll(async () => (await listed(world, hook.id)).attempts).toBe(2)
  bad.respond = ok
  world.clock.hold(Date.parse(noon) + 15_000)
  await arrive(bad, 5)
  expect(dataOf(bad)).toEqual([1, 1, 1, 2, 3])
  expect(new Set(idsOf(bad).slice(0, 3)).size).toBe(1)
  await expect.poll(() => statusesOf(world, hook.id)).toEqual(['delivered 1', 'delivered 1', 'delivered 3'])
  expect(bad.received.map(({ headers }) => Number(headers['webhook-timestamp']) - Date.parse(noon) / 1000)).toEqual([
    ...[0, 5, 15, 15, 15],
  ])
})

test('behavior: after three days of failures a hook is switched off and told, and goes on where it was when enabled', {
  tags: 'slow',
}, async () => {
  const world = await createHookWorld()
  const receiver = await startReceiver({ respond: refuse })
  const { hook, secret } = await add(world, receiver)
  const replica = await world.startReplica()
  await world.append(...numbered(1, 2))
  let attempts = 1
  await arrive(receiver, attempts)
  for (;;) {
    await expect.poll(async () => (await listed(world, hook.id)).attempts).toBe(attempts)
    const { nextAttemptAt } = await listed(world, hook.id)
    if (nextAttemptAt === null) break
    world.clock.hold(Date.parse(nextAttemptAt))
    attempts++
    await arrive(receiver, attempts)
  }
  expect(world.clock.now() - Date.parse(noon)).toBeGreaterThanOrEqual(72 * hourMs)
  expect(world.clock.now() - Date.parse(noon)).toBeLessThan(75 * hourMs)
  const off = await listed(world, hook.id)
  expect(off).toMatchObject({ status: 'disabled', waiting: 2 })
  expect(off.disabledReason).toBe(`no delivery succeeded for 3 days (${attempts} attempts), last: status 500`)
  expect(await statusesOf(world, hook.id)).toEqual([`failed ${attempts}`])
  expect(dataOf(receiver)).toEqual(Array(attempts).fill(1))
  await expect.poll(() => replica.check().severity).toBe('warn')
  expect(replica.check()).toMatchObject({
    message: expect.stringContaining(hook.id),
    remedy: expect.stringContaining('switch the webhook on'),
  })
  expect(world.metrics.expose()).toContain('tallystick_hooks_disabled 1')
  const told = world
    .log()
    .split('\n')
    .filter((line) => line.includes('webhook switched off'))
  expect(told).toHaveLength(1)
  expect(JSON.parse(told[0] as string)).toMatchObject({
    level: 50,
    hook: hook.id,
    host: `receiver.test:${receiver.port}`,
  })
  const [audited] = await world.database.query('select actor, action, subject from audit order by id desc limit 1')
  expect(audited).toEqual({ actor: 'hooks', action: 'hook.disable', subject: hook.id })

  receiver.respond = ok
  await world.operator.enableHook(hook.id)
  await arrive(receiver, attempts + 2)
  expect(dataOf(receiver).slice(-2)).toEqual([1, 2])
  await expect.poll(() => replica.check().severity).toBe('ok')
  for (const text of [world.log(), JSON.stringify(await world.database.query('select details::text from audit'))]) {
    expect(text).not.toContain('t0ken')
    expect(text).not.toContain(secret)
  }
})

test('behavior: 410 switches a hook off at once', async () => {
  const world = await createHookWorld()
  const receiver = await startReceiver({ respond: (response) => response.writeHead(410).end() })
  const { hook } = await add(world, receiver)
  await world.startReplica()
  await world.append(...numbered(1, 2))
  await expect.poll(async () => (await listed(world, hook.id)).status).toBe('disabled')
  expect([await statusesOf(world, hook.id), receiver.received.length]).toEqual([['failed 1'], 1])
})

test('behavior: a rotated secret signs beside the new one until its grace ends', async () => {
  const world = await createHookWorld()
  const receiver = await startReceiver()
  const { hook, secret: first } = await add(world, receiver)
  await world.startReplica()
  const { secret: second } = await world.operator.rotateHook(hook.id, { graceSeconds: 3600 })
  const secrets = { first, second }
  const next = async (atMs: number) => {
    world.clock.hold(Date.parse(noon) + atMs)
    const count = receiver.received.length
    await world.append(...numbered(count))
    await arrive(receiver, count + 1)
    return signersOf(receiver.received.at(-1) as Received, secrets)
  }
  expect(await next(0)).toEqual(['second', 'first'])
  expect(await next(hourMs - 1)).toEqual(['second', 'first'])
  expect(await next(hourMs)).toEqual(['second'])
  const { secret: third } = await world.operator.rotateHook(hook.id, { graceSeconds: 0 })
  Object.assign(secrets, { third })
  expect(await next(hourMs)).toEqual(['third'])
})

test('error: more than five secrets in force are refused, and a rotation without grace still works', async () => {
  const world = await createHookWorld()
  const { hook } = await add(world, await startReceiver())
  for (let count = 1; count < 5; count++) await world.operator.rotateHook(hook.id, {})
  await expect(world.operator.rotateHook(hook.id, {})).rejects.toMatchObject({ code: 'invalid_hook' })
  expect((await listed(world, hook.id)).secrets).toBe(5)
  await world.operator.rotateHook(hook.id, { graceSeconds: 0 })
  expect((await listed(world, hook.id)).secrets).toBe(1)
})

test('behavior: a hook removed while a delivery runs gets nothing more, and nothing of it is left', async () => {
  const world = await createHookWorld()
  let finish: () => void = () => undefined
  const receiver = await startReceiver({
    respond: (response) => {
      finish = () => response.writeHead(500).end()
    },
  })
  const { hook } = await add(world, receiver)
  const replica = await world.startReplica()
  await world.append(...numbered(1, 2))
  await arrive(receiver, 1)
  await world.operator.removeHook(hook.id)
  finish()
  await replica.stop()
  expect(receiver.received).toHaveLength(1)
  for (const table of ['hooks', 'hook_secrets', 'hook_deliveries']) {
    expect(await world.database.query(`select 1 from ${table}`)).toEqual([])
  }
  expect(world.log()).not.toContain('"level":50')
})

test('behavior: an event that was deleted before its delivery is listed as gone, and the hook goes on', async () => {
  const world = await createHookWorld()
  const receiver = await startReceiver({ respond: (response) => response.writeHead(410).end() })
  const { hook } = await add(world, receiver)
  await world.startReplica()
  await world.append(...numbered(1, 2))
  await expect.poll(async () => (await listed(world, hook.id)).status).toBe('disabled')
  world.clock.hold(Date.parse(noon) + 97 * hourMs)
  await world.append(...numbered(3))
  await deleteOldEvents(world.database, { nowSeconds: BigInt(world.clock.now() / 1000), limit: 100 })
  receiver.respond = ok
  await world.operator.enableHook(hook.id)
  await arrive(receiver, 2)
  expect(dataOf(receiver)).toEqual([1, 3])
  await expect.poll(() => statusesOf(world, hook.id)).toEqual(['delivered 1', 'gone 1'])
  const { deliveries } = await world.operator.listDeliveries(hook.id)
  expect(deliveries[1]?.error).toMatch(/^The event was deleted after 4 days/)
})

test('behavior: a failing event that is deleted, with no other after it, does not stop the hook', async () => {
  const world = await createHookWorld()
  const receiver = await startReceiver({ respond: refuse })
  const { hook } = await add(world, receiver)
  await world.startReplica()
  await world.append(...numbered(1))
  await expect.poll(async () => (await listed(world, hook.id)).attempts).toBe(1)
  await world.database.query('delete from events')
  world.clock.hold(Date.parse(noon) + 5_000)
  await expect.poll(() => statusesOf(world, hook.id)).toEqual(['gone 1'])
  receiver.respond = ok
  await world.append(...numbered(2))
  await arrive(receiver, 2)
  expect(dataOf(receiver)).toEqual([1, 2])
})

test('behavior: a clock that is set back does not postpone the next attempt by the jump', async () => {
  const world = await createHookWorld()
  const receiver = await startReceiver({ respond: refuse })
  const { hook } = await add(world, receiver)
  await world.startReplica()
  await world.append(...numbered(1))
  await expect.poll(async () => (await listed(world, hook.id)).attempts).toBe(1)
  receiver.respond = ok
  world.clock.hold(Date.parse(noon) - 24 * hourMs)
  await arrive(receiver, 2)
})

test('behavior: an event with a body beyond the limit is skipped and listed', async () => {
  const world = await createHookWorld()
  const receiver = await startReceiver()
  const { hook } = await add(world, receiver)
  await world.startReplica()
  await world.append({ data: JSON.stringify('x'.repeat(1_100_000)) }, ...numbered(2))
  await arrive(receiver, 1)
  expect(dataOf(receiver)).toEqual([2])
  await expect.poll(() => statusesOf(world, hook.id)).toEqual(['delivered 1', 'skipped 1'])
})

test('behavior: the list of deliveries keeps the newest 200', async () => {
  const world = await createHookWorld()
  const receiver = await startReceiver()
  const { hook } = await add(world, receiver)
  await world.startReplica()
  await world.database.query(
    `insert into hook_deliveries (hook_id, event_id, webhook_id, type, chain_id, status, attempts, first_attempt_at,
       last_attempt_at) select $1, -n, 'msg', 'notes', 324, 'delivered', 1, 0, 0 from generate_series(0, 204) n`,
    [hook.id],
  )
  await world.append(...numbered(1))
  await expect.poll(async () => (await statusesOf(world, hook.id)).length).toBe(50)
  await expect.poll(async () => (await listed(world, hook.id)).waiting).toBe(0)
  const rows = await world.database.query<{ count: number }>('select count(*)::int as count from hook_deliveries')
  expect(rows).toEqual([{ count: 200 }])
  expect((await world.operator.listDeliveries(hook.id, 1)).deliveries).toMatchObject([
    { status: 'delivered', type: 'notes' },
  ])
  expect(dataOf(receiver)).toEqual([1])
})

test('error: the number of hooks is limited, also if they are added at once', async () => {
  const world = await createHookWorld()
  const receiver = await startReceiver()
  const results = await Promise.allSettled(Array.from({ length: 52 }, () => add(world, receiver)))
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(2)
  expect((await world.operator.listHooks()).hooks).toHaveLength(50)
})
