// @module-tag server

import { decodeNote } from '@tallystick/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startFakeSigner } from './fake-web3signer.ts'
import { createKey, newDatabase, notesOf, start } from './harness.ts'

const boundaries = [
  ['18:00 in winter', '2026-11-15T18:00:00-05:00'],
  ['00:00 at the end of the year', '2027-01-01T00:00:00-05:00'],
  ['18:00 on the spring day', '2026-03-08T18:00:00-04:00'],
  ['00:00 into the spring day', '2026-03-08T00:00:00-05:00'],
  ['00:00 after the spring day', '2026-03-09T00:00:00-04:00'],
  ['18:00 on the autumn day', '2026-11-01T18:00:00-05:00'],
  ['00:00 into the autumn day', '2026-11-01T00:00:00-04:00'],
  ['00:00 into the leap day', '2028-02-29T00:00:00-05:00'],
] as const

describe('under concurrent load', () => {
  const [winter, ...others] = boundaries
  test(`behavior: across ${winter[0]} every note is valid when it is served`, () => crossBoundary(...winter))
  test.each(others)('behavior: across %s every note is valid, too', { tags: 'slow' }, crossBoundary)

  async function crossBoundary(_: string, boundary: string): Promise<void> {
    const boundarySeconds = BigInt(Date.parse(boundary) / 1000)
    const aroundMs = 50
    const service = await start({
      databaseUrl: await newDatabase(),
      at: new Date(Date.parse(boundary) - aroundMs).toISOString(),
    })
    const { secret } = await createKey(service)
    const seen = { before: 0, after: 0 }
    const isOver = () => service.clock.now() >= Date.parse(boundary) + aroundMs && seen.after > 16
    const client = async () => {
      while (!isOver()) {
        // It stands until every client is at it: how long their first connections take is nobody's concern.
        if (seen.before > 16) service.clock.run()
        const answer = await service.call('/notes', { headers: { 'x-api-key': secret } })
        expect(answer.status).toBe(200)
        const dateSeconds = BigInt(Date.parse(String(answer.headers.date)) / 1000)
        for (const wire of notesOf(answer).data) {
          const note = decodeNote(wire)
          expect(note.validAfter < dateSeconds && dateSeconds < note.validBefore).toBe(true)
        }
        seen[dateSeconds < boundarySeconds ? 'before' : 'after']++
      }
    }
    await Promise.all(Array.from({ length: 16 }, client))
    expect(seen.before).toBeGreaterThan(16)
    expect(seen.after).toBeGreaterThan(16)
  }
})

test('behavior: the switch at the boundary is exact to the millisecond, without a timer', async () => {
  const boundaryMs = Date.parse('2026-11-15T18:00:00-05:00')
  const service = await start({ databaseUrl: await newDatabase(), at: new Date(boundaryMs - 1000).toISOString() })
  const { secret } = await createKey(service)
  const fetchAt = async (instantMs: number) => {
    service.clock.hold(instantMs)
    const answer = await service.call('/notes', { headers: { 'x-api-key': secret } })
    const { signature_valid_before } = notesOf(answer).data[0] ?? {}
    return [signature_valid_before, answer.headers['cache-control']]
  }
  expect(await fetchAt(boundaryMs - 1)).toEqual([String(boundaryMs / 1000), 'private, max-age=0'])
  expect(await fetchAt(boundaryMs)).toEqual([String(boundaryMs / 1000 + 6 * 3600), 'private, max-age=21600'])
  expect(await fetchAt(boundaryMs - 1)).toEqual([String(boundaryMs / 1000), 'private, max-age=0'])
})

test('behavior: the next period is signed ahead and not served early', async () => {
  const service = await start({ databaseUrl: await newDatabase(), at: '2026-11-15T17:49:59-05:00' })
  const isSigned = async () => (await service.operator.showNotes()).chains[0]?.next.signed
  expect(await isSigned()).toBe(false)
  service.clock.hold(Date.parse('2026-11-15T17:50:00-05:00'))
  await expect.poll(isSigned).toBe(true)
  const { secret } = await createKey(service)
  const { message } = notesOf(await service.call('/notes', { headers: { 'x-api-key': secret } }))
  expect(message).toContain('00:00 to 18:00')
  const metrics = (await service.admin('/metrics')).body
  expect(metrics).toContain('tallystick_next_period_signed{chain="324"} 1')
})

test('behavior: after a clock jump the first request gets current notes, without waiting for a tick', async () => {
  const service = await start({ databaseUrl: await newDatabase(), at: '2026-11-15T12:00:00-05:00' })
  const { secret } = await createKey(service)
  const messageAt = async (instant: string) => {
    service.clock.hold(Date.parse(instant))
    return notesOf(await service.call('/notes', { headers: { 'x-api-key': secret } })).message
  }
  expect(await messageAt('2026-11-16T19:00:00-05:00')).toContain('2026-11-16, 18:00 to 24:00')
  expect(await messageAt('2026-11-18T09:00:00-05:00')).toContain('2026-11-18, 00:00 to 18:00')
  expect(await messageAt('2026-11-18T08:59:30-05:00')).toContain('2026-11-18, 00:00 to 18:00')
})

test('behavior: sign-ahead covers a signer outage across the boundary', async () => {
  const signer = await startFakeSigner(onTestFinished as never)
  const service = await start({
    databaseUrl: await newDatabase(),
    at: '2026-11-15T17:55:00-05:00',
    config: { signer: signer.config },
  })
  const { secret } = await createKey(service)
  signer.behave(() => Promise.reject(new Error('out')))
  service.clock.hold(Date.parse('2026-11-15T18:00:00-05:00'))
  const answer = await service.call('/notes', { headers: { 'x-api-key': secret } })
  expect(notesOf(answer).message).toContain('18:00 to 24:00')
})

test('error: a longer outage causes notes_unavailable and the alarm, never an expired note, and recovers', async () => {
  const signer = await startFakeSigner(onTestFinished as never)
  const service = await start({
    databaseUrl: await newDatabase(),
    at: '2026-11-15T12:00:00-05:00',
    config: { signer: signer.config },
  })
  const { secret } = await createKey(service)
  const get = () => service.call('/notes', { headers: { 'x-api-key': secret } })
  expect((await get()).status).toBe(200)
  signer.behave(() => Promise.reject(new Error('out')))
  service.clock.hold(Date.parse('2026-11-15T18:00:00-05:00'))
  const out = await get()
  expect(out.status).toBe(500)
  expect(out.json()).toMatchObject({ code: 'notes_unavailable', message: expect.stringContaining('current period') })
  expect(out.headers['retry-after']).toBe('5')
  expect(out.headers['cache-control']).toBe('no-store')
  const metrics = (await service.admin('/metrics')).body
  expect(metrics).toContain('tallystick_notes_unavailable{chain="324"} 1')
  expect(metrics).toMatch(/tallystick_signer_failures_total\{failure="unreachable"\} [1-9]/)
  expect((await service.admin('/readyz')).status).toBe(503)

  signer.behave(undefined)
  await expect.poll(async () => (await get()).status).toBe(200)
  expect(notesOf(await get()).message).toContain('18:00 to 24:00')
  expect((await service.admin('/readyz')).status).toBe(200)
})

test('behavior: one chain without notes does not affect the others', async () => {
  const other = { id: 5000, name: 'Other', pool: '0x0000000000000000000000000000000000000abc', maxCouponBps: 100 }
  const first = { id: 324, name: 'zkSync Era', pool: '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781' }
  const databaseUrl = await newDatabase()
  const alone = await start({ databaseUrl, at: '2026-11-15T12:00:00-05:00' })
  await alone.stop()
  const service = await start({ databaseUrl, at: '2026-11-15T12:00:00-05:00', config: { chains: [first, other] } })
  const { secret } = await createKey(service)
  const get = (path: string) => service.call(path, { headers: { 'x-api-key': secret } })
  const all = await get('/notes')
  expect(all.status).toBe(200)
  expect(notesOf(all).message).toContain('None are available for chain 5000')
  expect(notesOf(all).data.map((note) => note.chainid)).toEqual(['324', '324', '324'])
  expect(all.headers['cache-control']).toBe('private, no-cache')
  expect((await get('/notes?chainid=324')).status).toBe(200)
  expect((await get('/notes?chainid=5000')).json().code).toBe('notes_unavailable')
  const ready = await service.admin('/readyz')
  expect([ready.status, ready.json().degraded]).toEqual([200, true])
  expect(ready.json().reasons).toEqual([expect.stringMatching(/^notes of chain 5000: no notes/)])
})
