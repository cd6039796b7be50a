// @module-tag postgres

import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { openDatabase } from '@tallystick/database'
import { claimHooks, deliverHook } from '@tallystick/notify'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { coupons } from '../../../packages/service/test/harness.ts'
import { ok, startReceiver } from '../../../packages/service/test/hook-receiver.ts'
import { createHookWorld, type HookWorld } from '../../../packages/service/test/hooks-harness.ts'
import { launch, prepareSite } from './process.ts'

const numbered = (...numbers: readonly number[]) => numbers.map((n) => ({ data: JSON.stringify({ n }) }))
const numbersOf = (received: readonly { readonly body: string }[]) =>
  received.map(({ body }) => JSON.parse(body).data.n).filter((n) => n !== undefined)

async function openBeside({ databaseUrl }: HookWorld) {
  const database = await openDatabase(databaseUrl)
  onTestFinished(() => database.close())
  return database
}

/** Ends the leases, as a minute would. */
const endLeases = ({ database }: HookWorld) =>
  database.query("update hooks set lease_until = clock_timestamp() - interval '1 second' where lease is not null")

test('default: two replicas deliver every event once and in order', async () => {
  const world = await createHookWorld()
  const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
  for (const { url } of receivers) await world.operator.addHook({ url, types: ['notes'] })
  await world.startReplica(await openBeside(world))
  await world.startReplica(await openBeside(world))
  const numbers = Array.from({ length: 30 }, (_, index) => index)
  for (const n of numbers) await world.append(...numbered(n))
  for (const receiver of receivers) {
    await expect.poll(() => receiver.received.length).toBe(numbers.length)
    expect(numbersOf(receiver.received)).toEqual(numbers)
  }
})

test('behavior: a replica frozen after it sent is overtaken when its lease ends, and cannot record any more', async () => {
  const world = await createHookWorld()
  const waiting: ServerResponse[] = []
  const receiver = await startReceiver({ respond: (response) => void waiting.push(response) })
  const { hook } = await world.operator.addHook({ url: receiver.url, types: ['notes'] })
  await world.startReplica(await openBeside(world))
  await world.append(...numbered(1, 2))
  await expect.poll(() => waiting.length).toBe(1)
  await world.startReplica(await openBeside(world))
  await endLeases(world)
  // The first replica does not claim it again while its own request runs.
  await expect.poll(() => waiting.length).toBe(2)
  expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id'])
  receiver.respond = ok
  waiting[1]?.writeHead(200).end()
  await expect.poll(() => numbersOf(receiver.received)).toEqual([1, 1, 2])
  waiting[0]?.writeHead(410).end()
  await expect.poll(() => receiver.sockets.size).toBe(0)
  await world.append(...numbered(3))
  await expect.poll(() => numbersOf(receiver.received)).toEqual([1, 1, 2, 3])
  const { hooks } = await world.operator.listHooks()
  expect(hooks).toMatchObject([{ id: hook.id, status: 'active', disabledReason: null }])
})

test('behavior: a replica frozen before it sent sends nothing when it wakes up', { tags: 'slow' }, async () => {
  const world = await createHookWorld()
  const receiver = await startReceiver()
  await world.operator.addHook({ url: receiver.url, types: ['notes'] })
  await world.append(...numbered(1))
  const [hook] = await claimHooks(world.database, { lease: randomUUID(), leasedAtMs: 0, nowSeconds: 0n, except: [] })
  const log = pino({ level: 'silent' })
  const signal = new AbortController().signal
  const outcomes: string[] = []
  const at = (monotonicMs: number) => ({ ...world.clock, monotonic: () => monotonicMs })
  const context = {
    ...{ database: world.database, time: at(0), sender: world.sender, log, signal, random: () => 0.5 },
    ...{ isStopping: () => false, onAttempt: (outcome: string) => outcomes.push(outcome) },
  }
  // By its own clock the lease is old; then another replica has taken it.
  await deliverHook({ ...context, time: at(30_001) }, hook!)
  await world.database.query('update hooks set lease = $1', [randomUUID()])
  await deliverHook(context, hook!)
  expect([outcomes, receiver.received]).toEqual([[], []])
  await world.database.query('update hooks set lease = $1', [hook!.lease])
  await deliverHook(context, hook!)
  expect([outcomes, numbersOf(receiver.received)]).toEqual([['delivered'], [1]])
})

test('behavior: a replica that stops gives its hooks to the others without waiting for the lease', async () => {
  const world = await createHookWorld()
  const receiver = await startReceiver({ respond: () => undefined })
  const { hook } = await world.operator.addHook({ url: receiver.url, types: ['notes'] })
  const first = await world.startReplica(await openBeside(world))
  await world.append(...numbered(1))
  await expect.poll(() => receiver.received.length).toBe(1)
  await world.startReplica(await openBeside(world))
  receiver.respond = ok
  await first.stop()
  await expect.poll(() => numbersOf(receiver.received)).toEqual([1, 1])
  await expect
    .poll(async () => (await world.operator.listDeliveries(hook.id)).deliveries)
    .toMatchObject([{ status: 'delivered', attempts: 1 }])
})

test('behavior: a process killed between sending and recording: another sends the event again, under the same id', {
  tags: 'slow',
}, async () => {
  const world = await createHookWorld()
  // A real process has the clock of this machine, and deletes events that are older than four days.
  world.clock.hold(Date.now())
  // The address and plain HTTP need neither its resolver nor its certificates.
  const config = { hooks: { allowPrivate: ['127.0.0.1'] } }
  const site = await prepareSite({ databaseUrl: world.databaseUrl, config, curve: coupons })
  const receiver = await startReceiver({ tls: null, respond: () => undefined })
  const url = `http://127.0.0.1:${receiver.port}/hook`
  const { hook } = await world.operator.addHook({ url, types: ['notes'], chainId: 10 })
  const child = launch(site, ['serve'])
  const exited = new Promise((resolve) => child.once('exit', resolve))
  receiver.respond = () => child.kill('SIGKILL')
  await world.append(...numbered(1, 2).map((event) => ({ ...event, chainId: 10 })))
  await exited
  expect(numbersOf(receiver.received)).toEqual([1])
  receiver.respond = ok
  await world.startReplica(await openBeside(world))
  await endLeases(world)
  await expect.poll(() => numbersOf(receiver.received)).toEqual([1, 1, 2])
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect([ids[0] === ids[1], ids[1] === ids[2]]).toEqual([true, false])
  await expect
    .poll(async () => (await world.operator.listDeliveries(hook.id)).deliveries)
    .toMatchObject([{ status: 'delivered' }, { status: 'delivered' }])
})
