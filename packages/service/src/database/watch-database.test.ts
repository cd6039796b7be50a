import { createMetrics } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { expect, test } from 'vitest'
import { databaseMetricHelp, watchDatabase } from './watch-database.ts'

/** Watches a database whose statements the test ends, at an instant that it sets. */
function watch() {
  const statements: { resolve(): void; reject(error: Error): void }[] = []
  const query = () => new Promise<never[]>((resolve, reject) => statements.push({ resolve: () => resolve([]), reject }))
  const at = { ms: 0 }
  const metrics = createMetrics(databaseMetricHelp)
  const given = { label: 'PostgreSQL x', engine: 'postgres', query } as unknown as Database
  const { database, checkDatabase } = watchDatabase(given, { metrics, time: { monotonic: () => at.ms } })
  const send = () => {
    const answer = database.query('select 1').then(
      () => undefined,
      () => undefined,
    )
    const statement = statements.at(-1) as (typeof statements)[number]
    const end = (error?: Error) => {
      if (error) statement.reject(error)
      else statement.resolve()
      return answer
    }
    return end
  }
  const value = () => [...metrics.read('tallystick_database_unavailable')][0]?.value
  return { at, send, value, read: () => [checkDatabase().severity, checkDatabase().message] }
}

const away = new TallystickError({ code: 'database_unavailable', message: 'away', retryable: true })
const well = ['ok', 'responds']

test('default: a database that was not asked, or answers, responds', async () => {
  const { at, send, value, read } = watch()
  at.ms = 60_000
  expect(read()).toEqual(well)
  const end = send()
  at.ms += 1_999
  expect(read()).toEqual(well)
  await end()
  at.ms += 60_000
  expect([read(), value()]).toEqual([well, 0])
})

test('error: it is silent if no statement is answered for 2 s while one waits', async () => {
  const { at, send, value, read } = watch()
  const first = send()
  at.ms = 1_500
  const second = send()
  at.ms = 2_000
  expect([read(), value()]).toEqual([['fail', 'no response for 2 s'], 1])
  at.ms = 9_000
  expect(read()).toEqual(['fail', 'no response for 9 s'])
  await second()
  // One statement waits for a lock.
  expect([read(), value()]).toEqual([well, 0])
  at.ms = 11_000
  expect(read()).toEqual(['fail', 'no response for 2 s'])
  await first()
  expect(read()).toEqual(well)
})

test('error: a lost connection is known at once, until a statement is answered', async () => {
  const { at, send, read } = watch()
  await send()()
  await send()(away)
  at.ms = 30_000
  await send()(away)
  expect(read()).toEqual(['fail', 'no response for 30 s'])
  await send()()
  expect(read()).toEqual(well)
})

test('behavior: a statement that the database rejects is a response', async () => {
  const { send, read } = watch()
  await send()(away)
  await send()(new Error('duplicate key value'))
  expect(read()).toEqual(well)
})
