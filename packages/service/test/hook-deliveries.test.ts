import { deleteOldEvents } from '@tallystick/notify'
import { expect, test } from 'vitest'
import { ok, type Receiver, type Respond, startReceiver } from './hook-receiver.ts'
import { createHookWorld, type HookWorld, noon } from './hooks-harness.ts'

const dayMs = 86_400_000
const refuse: Respond = (response) => response.writeHead(500, { 'x-why': 'broken' }).end('try later')
const gone: Respond = (response) => response.writeHead(410).end()
const idsOf = ({ received }: Receiver) => received.map(({ headers }) => headers['webhook-id'])
const arrive = (receiver: Receiver, count: number) => expect.poll(() => receiver.received.length).toBe(count)
const statusOf = async (world: HookWorld, id: string) =>
  (await world.operator.listHooks()).hooks.find((hook) => hook.id === id)?.status

async function deliver(respond: Respond, count = 1) {
  const world = await createHookWorld()
  const receiver = await startReceiver({ respond })
  const { hook, secret } = await world.operator.addHook({ url: receiver.url, types: ['notes'] })
  const replica = await world.startReplica()
  const events = await world.append(...Array.from({ length: count }, (_, n) => ({ data: JSON.stringify({ n }) })))
  const ids = events.map(({ id }) => String(id))
  const recorded = (event: string) =>
    expect
      .poll(async () => (await world.operator.listDeliveries(hook.id)).deliveries.map((own) => own.event))
      .toContain(event)
  await recorded(ids[0] as string)
  return { world, receiver, hook, secret, replica, events: ids, recorded, event: ids[0] as string }
}

test('default: a delivery has what was sent and what came back, and nothing that is secret', async () => {
  const respond: Respond = (response) =>
    response.writeHead(200, { 'set-cookie': 'session=1', 'content-type': 'text/html' }).end('<b>thanks</b>')
  const { world, receiver, hook, event, secret } = await deliver(respond)
  const report = await world.operator.showDelivery(hook.id, event)
  expect(report.payload).toBe(receiver.received[0]?.body)
  expect(report.delivery).toMatchObject({ event, status: 'delivered', attempts: 1, responseStatus: 200 })
  const { response, ...attempt } = report.attempts[0]!
  expect(attempt).toMatchObject({ at: '2026-11-15T17:00:00Z', status: 200, error: null, isResend: false })
  expect(response).toMatchObject({ body: '<b>thanks</b>', isCut: false })
  expect(response?.headers).toContainEqual(['content-type', 'text/html'])
  const text = JSON.stringify(report)
  for (const hidden of ['session=1', secret, String(receiver.received[0]?.headers['webhook-signature'])]) {
    expect(text).not.toContain(hidden)
  }
  expect(world.log()).not.toContain('thanks')
})

test('default: an event is sent again with its first id and body, and stays delivered if that fails', async () => {
  const { world, receiver, hook, event } = await deliver(ok)
  expect(await world.operator.resendDelivery(hook.id, event)).toMatchObject({ isDelivered: true, status: 204 })
  receiver.respond = refuse
  const failed = await world.operator.resendDelivery(hook.id, event)
  expect(failed).toMatchObject({ isDelivered: false, status: 500, hook: { status: 'active' } })
  expect(new Set(idsOf(receiver)).size).toBe(1)
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
  const { delivery, attempts } = await world.operator.showDelivery(hook.id, event)
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 3, responseStatus: 500 })
  expect(attempts.map(({ status, isResend }) => [status, isResend])).toEqual([
    [500, true],
    [204, true],
    [204, false],
  ])
  expect(attempts[0]?.response).toMatchObject({
    body: 'try later',
    headers: expect.arrayContaining([['x-why', 'broken']]),
  })
  const [audit] = await world.database.query('select actor, subject, details from audit order by id desc limit 1')
  expect(audit).toMatchObject({
    actor: 'test',
    subject: hook.id,
    details: { event, isDelivered: false, status: 500, webhookId: delivery.webhookId },
  })
})

test('behavior: the event that a switched off hook waits for is sent again, and the hook then continues with the next', async () => {
  const { world, receiver, hook, event, events, recorded } = await deliver(gone, 2)
  await expect.poll(() => statusOf(world, hook.id)).toBe('disabled')
  receiver.respond = ok
  const { delivery } = await world.operator.resendDelivery(hook.id, event)
  expect(delivery).toMatchObject({ status: 'delivered', nextAttemptAt: null })
  expect(await statusOf(world, hook.id)).toBe('disabled')
  await world.operator.enableHook(hook.id)
  await recorded(events[1] as string)
  expect(receiver.received.map(({ body }) => JSON.parse(body).data.n)).toEqual([0, 0, 1])
})

test('behavior: a resend during an attempt of a replica neither loses nor repeats the next event', async () => {
  let release: () => void = () => undefined
  const { world, receiver, hook, event, events, recorded } = await deliver(refuse, 2)
  receiver.respond = (response) => {
    release = () => response.writeHead(500).end()
  }
  await world.operator.enableHook(hook.id)
  await arrive(receiver, 2)
  receiver.respond = ok
  await world.operator.resendDelivery(hook.id, event)
  release()
  await expect.poll(async () => (await world.operator.listHooks()).hooks[0]?.attempts).toBe(1)
  await world.operator.enableHook(hook.id)
  await recorded(events[1] as string)
  expect(receiver.received.map(({ body }) => JSON.parse(body).data.n)).toEqual([0, 0, 0, 0, 1])
})

test.each([
  ['NUL and escapes', Buffer.from('a\0b\x1b[2Jc')],
  ['half a character', Buffer.concat([Buffer.alloc(1_022, 'x'), Buffer.from('😀')])],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0xed, 0xa0, 0x80])],
  ['100 KB', Buffer.alloc(100_000, 'y')],
])('behavior: a response of %s is stored as bounded text, and the next event is delivered', async (_, body) => {
  const respond: Respond = (response) => {
    for (let n = 0; n < 60; n++) response.setHeader(`x-${n}`, 'v'.repeat(200))
    response.setHeader('x-latin', Buffer.from([0x80, 0xe9, 0xff]).toString('latin1'))
    response.writeHead(200).end(body)
  }
  const { world, hook, events, recorded } = await deliver(respond, 2)
  await recorded(events[1] as string)
  const { attempts } = await world.operator.showDelivery(hook.id, events[1] as string)
  const { response } = attempts[0]!
  expect(response?.body.length).toBeLessThanOrEqual(1_024)
  expect(response?.headers.length).toBeLessThanOrEqual(16)
  expect(JSON.stringify(response).length).toBeLessThan(8_000)
  expect(response?.isCut).toBe(body.length > 1_024)
})

test('behavior: the newest five attempts are kept, for four days, and go with their hook', async () => {
  const { world, hook, event, replica } = await deliver(ok)
  for (let count = 0; count < 6; count++) await world.operator.resendDelivery(hook.id, event)
  const { delivery, attempts } = await world.operator.showDelivery(hook.id, event)
  expect([delivery.attempts, attempts.length, attempts.every(({ isResend }) => isResend)]).toEqual([7, 5, true])
  await replica.stop()
  world.clock.hold(Date.parse(noon) + 4 * dayMs + 1_000)
  await world.startReplica()
  await expect.poll(async () => (await world.operator.showDelivery(hook.id, event)).attempts).toEqual([])
  await world.operator.resendDelivery(hook.id, event)
  await world.operator.removeHook(hook.id)
  expect(await world.database.query('select 1 from hook_attempts')).toEqual([])
})

test('error: an event that was deleted, is of another database or was never sent is not sent again', async () => {
  const { world, receiver, hook, event } = await deliver(ok)
  const other = await world.operator.addHook({ url: receiver.url, types: ['notes'] })
  for (const wrong of ['999', '-1', '1e3', '', ' 1', '9'.repeat(30), 'x\0', "1'"]) {
    const notFound = { code: 'delivery_not_found' }
    await expect(world.operator.resendDelivery(hook.id, wrong)).rejects.toMatchObject(notFound)
    await expect(world.operator.showDelivery(hook.id, wrong)).rejects.toMatchObject(notFound)
  }
  await expect(world.operator.resendDelivery(other.hook.id, event)).rejects.toMatchObject({
    code: 'delivery_not_found',
  })
  await expect(world.operator.showDelivery('hook_x', event)).rejects.toMatchObject({ code: 'hook_not_found' })
  // A restored database counts the same number again.
  await world.database.query(`update events set tag = 'restored'`)
  await expect(world.operator.resendDelivery(hook.id, event)).rejects.toMatchObject({ code: 'delivery_not_found' })
  expect((await world.operator.showDelivery(hook.id, event)).payload).toBe(null)
  await world.append({ data: '{}' })
  world.clock.hold(Date.parse(noon) + 5 * dayMs)
  await deleteOldEvents(world.database, { nowSeconds: BigInt(world.clock.now() / 1000), limit: 100 })
  await expect(world.operator.resendDelivery(hook.id, event)).rejects.toThrow('Events are kept for 4 days.')
})
