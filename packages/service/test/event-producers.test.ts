// @module-tag postgres

import { type NotesResponse, rateEventSchema, type StatusEvent, statusEventSchema } from '@tallystick/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { atMost } from '../../base/test/test-time.ts'
import { openStream } from './event-client.ts'
import { headAt, startFakeSubgraph } from './fake-subgraph.ts'
import { chain324, createKey, newDatabase, pool, start, type TestService } from './harness.ts'

type Row = {
  readonly id: bigint
  readonly type: 'notes' | 'rate' | 'status'
  readonly chain: number
  readonly data: string
}
const readRows = (service: TestService, type: string) =>
  service.database.query<Row>('select id, type, chain_id::int as chain, data from events where type = $1 order by id', [
    type,
  ])

describe('two replicas on one PostgreSQL', () => {
  test.each([
    ['spring', ['2026-03-08T00:00:00-05:00', '2026-03-08T18:00:00-04:00', '2026-03-09T00:00:00-04:00']],
    ['autumn', ['2026-11-01T00:00:00-04:00', '2026-11-01T18:00:00-05:00', '2026-11-02T00:00:00-05:00']],
  ])(
    'behavior: over the %s day each set is one event, and a stream resumes on the other replica',
    { tags: 'slow' },
    async (_, texts) => {
      const boundaries = texts.map((text) => Date.parse(text))
      const databaseUrl = await newDatabase()
      const at = new Date((boundaries[0] as number) - 1).toISOString()
      const config = { chains: [chain324, { id: 10, name: 'another', pool }] }
      const replicas = [await start({ databaseUrl, at, config }), await start({ databaseUrl, at, config })] as const
      const key = (await createKey(replicas[0])).secret
      const startOf = ({ data: [note] }: NotesResponse) => `${note?.chainid} ${Number(note?.signature_valid_after) + 1}`
      const starts = async () => (await readRows(replicas[0], 'notes')).map(({ data }) => startOf(JSON.parse(data)))
      await expect.poll(starts).toHaveLength(2)
      let stream = await openStream(replicas[0], '/events?types=notes', { key })
      const received: string[] = []
      for (const [index, boundaryMs] of boundaries.entries()) {
        await expect.poll(stream.lastId).toBeDefined()
        // A millisecond before it, nothing of the next period is there.
        for (const { clock } of replicas) clock.hold(boundaryMs - 1)
        await Promise.all(replicas.map((replica) => replica.call('/notes', { headers: { 'x-api-key': key } })))
        expect(await starts()).toHaveLength(2 + 2 * index)
        for (const { clock } of replicas) clock.hold(boundaryMs)
        await expect.poll(() => stream.events().length).toBe(2)
        received.push(...stream.events().map(({ data }) => startOf(data)))
        const lastEventId = stream.lastId() as string
        stream.close()
        stream = await openStream(replicas[(index + 1) % 2] as TestService, '/events?types=notes', { key, lastEventId })
      }
      const expected = boundaries.flatMap((boundaryMs) => [`324 ${boundaryMs / 1000}`, `10 ${boundaryMs / 1000}`])
      expect(received.toSorted()).toEqual(expected.toSorted())
      expect((await starts()).slice(2)).toEqual(received)
    },
  )

  test('behavior: a restarted service appends what was missed of the current period, and a stream resumes after it', async () => {
    const databaseUrl = await newDatabase()
    const first = await start({ databaseUrl, at: '2026-11-15T12:00:00-05:00' })
    const key = (await createKey(first)).secret
    const stream = await openStream(first, '/events', { key })
    await expect.poll(stream.lastId).toMatch(/^[1-9]/)
    const lastEventId = stream.lastId() as string
    await first.stop()
    const second = await start({ databaseUrl, at: '2026-11-15T19:00:00-05:00' })
    const resumed = await openStream(second, '/events', { key, lastEventId })
    await expect
      .poll(() => resumed.events().map(({ event, data }) => [event, data.message]))
      .toEqual([['notes', 'Treasury notes of 2026-11-15, 18:00 to 24:00 New York.']])
  })
})

test('behavior: a key that expires ends its streams when the clock reaches the second', async () => {
  const service = await start({ databaseUrl: await newDatabase(), at: '2026-11-15T12:00:00-05:00' })
  const expires = Date.parse('2026-11-15T12:01:00-05:00')
  const { secret } = await createKey(service, { expiresAt: new Date(expires).toISOString() })
  const other = await openStream(service, '/events', { key: (await createKey(service)).secret })
  const stream = await openStream(service, '/events', { key: secret })
  service.clock.hold(expires - 1)
  await expect.poll(stream.text).toMatch(/^: connected/)
  expect(stream.isEnded()).toBe(false)
  service.clock.hold(expires)
  await stream.ended
  expect(other.isEnded()).toBe(false)
})

test('behavior: rate and status events follow the figures, and a loss needs three reads', async () => {
  const at = '2026-11-15T18:30:00-05:00'
  const yesterday = Math.floor(Date.parse(at) / 86_400_000) - 1
  const upstream = {
    incomes: [{ day: yesterday, floatingIncome: '40654777192457711', accFloatingIncome: '40654777192457711' }],
    pools: [{ paused: false }],
    reads: 0,
    isBroken: false,
  }
  const fake = await startFakeSubgraph(
    {
      answer: () => ({ floatingIncomes: upstream.incomes, pools: upstream.pools }),
      head: headAt(100, Date.parse(at) / 1000 - 4),
    },
    onTestFinished as never,
  )
  const config = {
    chains: [{ ...chain324, subgraph: { urls: [fake.url] } }],
    data: { pollMs: 0, timeoutMs: 60_000 },
    rails: { preflight: 'off' },
  }
  const databaseUrl = await newDatabase()
  const options = { hasStateEvents: true, time: { waits: { 'state of a chain': atMost(0) } } }
  const service = await start({ databaseUrl, at, config, ...options })
  const replica = await start({ databaseUrl, at, config, ...options })
  const last = async <Type extends 'rate' | 'status'>(type: Type) => {
    const rows = await readRows(service, type)
    const data = rows.at(-1)?.data
    return { count: rows.length, ...(data !== undefined && JSON.parse(data)) }
  }
  await expect.poll(() => last('rate')).toMatchObject({ count: 1, floatingRate: expect.any(String) })
  await expect
    .poll(() => last('status'))
    .toMatchObject({ count: 1, status: 'open', isProtocolSynced: true, availableMaturities: [7, 14, 30] })
  const [first] = await readRows(service, 'rate')
  const { chainid, fixedRates } = rateEventSchema.parse(JSON.parse(first?.data ?? ''))
  expect([chainid, fixedRates.map(({ coupon }) => coupon)]).toEqual(['324', ['369', '365', '362']])

  upstream.pools = [{ paused: true }]
  const paused: Partial<StatusEvent> = { changed: ['status'], status: 'paused' }
  await expect
    .poll(() => last('status'))
    .toMatchObject({ count: 2, ...paused, message: expect.stringContaining('paused') })
  upstream.incomes = [{ day: yesterday, floatingIncome: '50654777192457711', accFloatingIncome: '50654777192457711' }]
  await expect.poll(() => last('rate')).toMatchObject({ count: 2 })

  // The replica that holds the lock stops. The other one goes on from the last events.
  await service.admin('/metrics')
  await replica.stop()
  // 00:00 UTC passes: the income of the day is missing, and the maturities are those of the same New York day.
  service.clock.hold(Date.parse('2026-11-16T00:00:00Z'))
  await expect
    .poll(() => last('status'))
    .toMatchObject({ count: 3, changed: ['isProtocolSynced'], isProtocolSynced: false })

  fake.behave(({ response }) => response.writeHead(500).end())
  await expect.poll(() => last('rate')).toMatchObject({ count: 3, floatingRate: null })
  fake.behave(undefined)
  await expect.poll(() => last('rate')).toMatchObject({ count: 4, floatingRate: expect.any(String) })
  for (const [type, schema] of [
    ['rate', rateEventSchema],
    ['status', statusEventSchema],
  ] as const) {
    for (const { data } of await readRows(service, type)) expect(() => schema.parse(JSON.parse(data))).not.toThrow()
  }
  expect(statusEventSchema.parse(JSON.parse((await readRows(service, 'status')).at(-1)?.data ?? ''))).toBeDefined()
})
