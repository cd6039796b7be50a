// @module-tag postgres

import { randomUUID } from 'node:crypto'
import { createLeases } from '@tallystick/keys'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createTestTime } from '../../base/test/test-time.ts'
import { openServiceDatabase } from '../src/database/service-database.ts'
import { newDatabase } from './harness.ts'

/** Creates the leases of a replica that joins another one. Their interval never ends, so only `ready` can settle them. */
async function joinAnother(monotonicNow: () => number) {
  const database = await openServiceDatabase(await newDatabase(), () => undefined)
  onTestFinished(() => database.close())
  const id = randomUUID()
  for (const replica of [id, randomUUID()]) {
    await database.query(
      "insert into replicas (id, name, seen_at, key_revision) values ($1, 'replica', clock_timestamp(), 0)",
      [replica],
    )
  }
  const time = createTestTime({ monotonic: monotonicNow, held: ['limits'] })
  const leases = createLeases({ database, id, log: pino({ enabled: false }), time })
  await leases.start()
  onTestFinished(() => leases.stop())
  const { keeper } = leases
  const share = () => keeper.shareOf(keeper.leaseOf('key', 'minute', 600), monotonicNow())
  return { leases, share }
}

test('behavior: a replica has no share before the others keep one for it', async () => {
  const { share } = await joinAnother(() => 0)
  expect(share()).toBe(0)
})

test.each([499, 500, 501, 10_000])(
  'behavior: a replica that takes %i ms to start has its share as soon as it is ready',
  async (startMs) => {
    const beganMs = performance.now()
    let passedMs = 0
    const { leases, share } = await joinAnother(() => performance.now() - beganMs + passedMs)
    passedMs = startMs
    await leases.ready()
    expect(share()).toBe(300)
  },
)
