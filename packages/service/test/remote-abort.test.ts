import { getEventListeners, setMaxListeners } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { TallystickError } from '@tallystick/core'
import { deadlineReached } from '@tallystick/gateway'
import { expect, onTestFinished, test } from 'vitest'
import { hang, startFakeSubgraph } from './fake-subgraph.ts'
import { activeResources, errorOf, openRemote, remoteQuery } from './remote-harness.ts'

test('error: an aborted query ends at once with the signal’s reason and does not count as a failure', async () => {
  const fake = await startFakeSubgraph()
  fake.behave(hang)
  const remote = openRemote([fake.url])
  const gone = new Error('the last caller has gone')
  for (let count = 1; count <= 5; count += 1) {
    const controller = new AbortController()
    const asked = errorOf(remote.subgraph.ask(remoteQuery(), controller.signal))
    await expect.poll(() => fake.requests.length).toBe(count)
    controller.abort(gone)
    expect(await asked).toBe(gone)
    await fake.requests[count - 1]?.closed
  }
  expect(fake.lights()).toEqual([])
  expect(remote.log()).toBe('')
  expect(remote.metrics()).toMatch(/upstream_total{[^}]*outcome="cancelled"} 5\n/)
})

test('error: throws a TallystickError reason unchanged, and sends nothing if the signal is already aborted', async () => {
  const fake = await startFakeSubgraph()
  const remote = openRemote([fake.url])
  const reason = new TallystickError({ code: 'not_ready', message: 'Stopping.', retryable: true })
  expect(await errorOf(remote.subgraph.ask(remoteQuery(), AbortSignal.abort(reason)))).toBe(reason)
  expect(await errorOf(remote.subgraph.ask(remoteQuery(), AbortSignal.abort(deadlineReached)))).toMatchObject({
    details: { failure: 'slow_headers' },
  })
  expect(fake.requests).toEqual([])
})

test('behavior: a signal that outlives many queries keeps no listeners', async () => {
  const fake = await startFakeSubgraph()
  const { subgraph } = openRemote([fake.url])
  const { signal } = new AbortController()
  for (let count = 0; count < 20; count += 1) await subgraph.ask(remoteQuery(), signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('behavior: 1,000 queries that hang leak nothing and use no more than the allowed connections', async () => {
  const fake = await startFakeSubgraph()
  fake.behave(hang)
  const before = activeResources()
  const remote = openRemote([fake.url], { settings: { timeoutMs: 60_000 } })
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  const asked = Array.from({ length: 1_000 }, () => errorOf(remote.subgraph.ask(remoteQuery(), controller.signal)))
  await expect.poll(() => fake.requests.length).toBe(64)
  const started = performance.now()
  controller.abort(deadlineReached)
  const errors = await Promise.all(asked)
  expect(performance.now() - started).toBeLessThan(50_000)
  expect(new Set(errors.map(({ details }) => details?.['failure']))).toEqual(new Set(['slow_headers']))
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  // undici may have opened new connections in place of the aborted ones, within its limit.
  await expect.poll(fake.openConnections).toBeLessThanOrEqual(66)
  expect(fake.queries()).toHaveLength(64)
  await remote.subgraph.close()
  await expect.poll(fake.openConnections).toBe(0)
  // The poll has one timer. A leak would add 1,000.
  await expect.poll(activeResources).toBeLessThanOrEqual(before + 2)
})

test('error: queries beyond the waiting limit are rejected at once', async () => {
  const fake = await startFakeSubgraph()
  fake.behave(hang)
  const remote = openRemote([fake.url])
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  const asked = Array.from({ length: 1_064 }, () => errorOf(remote.subgraph.ask(remoteQuery(), controller.signal)))
  expect(await errorOf(remote.ask())).toMatchObject({ details: { failure: 'overloaded' }, retryAfterSeconds: 1 })
  controller.abort(new Error('enough'))
  await Promise.all(asked)
})

test('behavior: a query aborted during the TLS handshake keeps its slot until the handshake ends', async () => {
  // Accepts connections but never answers the TLS handshake.
  const silent = createServer()
  const sockets: Socket[] = []
  silent.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const remote = openRemote([`https://127.0.0.1:${(silent.address() as AddressInfo).port}/`])
  const askAll = (count: number, signal: AbortSignal) => {
    setMaxListeners(0, signal)
    return Array.from({ length: count }, () => errorOf(remote.subgraph.ask(remoteQuery(), signal)))
  }
  const leaving = new AbortController()
  const left = askAll(64, leaving.signal)
  await expect.poll(() => sockets.length).toBe(64)
  leaving.abort(new Error('gone'))
  await Promise.all(left)
  // Otherwise aborted queries would accumulate in the pool without limit.
  const staying = new AbortController()
  const waiting = askAll(1_000, staying.signal)
  expect(await errorOf(remote.ask())).toMatchObject({ details: { failure: 'overloaded' } })
  expect(sockets).toHaveLength(64)
  staying.abort(new Error('enough'))
  await Promise.all(waiting)
})

test('behavior: close cancels running queries and logs no failure', async () => {
  const fake = await startFakeSubgraph()
  fake.behave(hang)
  const remote = openRemote([fake.url])
  const asked = errorOf(remote.ask())
  await expect.poll(() => fake.requests.length).toBe(1)
  await remote.subgraph.close()
  expect((await asked).message).toBe('The service is shutting down. Try again.')
  await expect.poll(fake.openConnections).toBe(0)
  expect(remote.log()).toBe('')
})
