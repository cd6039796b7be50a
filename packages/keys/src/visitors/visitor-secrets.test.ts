import pino from 'pino'
import { expect, test } from 'vitest'
import { createManualTime } from '../../../base/test/test-time.ts'
import { openVisitorSecrets } from './visitor-secrets.ts'

type Row = { readonly id: string; readonly secret: Uint8Array }

/** A table of secrets, newest first, that counts how often it is read. */
async function open(rows: Row[] = []) {
  const table = { rows, reads: 0, isAway: false }
  const query = async (text: string, parameters: readonly unknown[] = []) => {
    if (table.isAway) throw new Error('away')
    if (text.startsWith('insert'))
      table.rows.unshift({ id: parameters[0] as string, secret: parameters[1] as Uint8Array })
    else table.reads += 1
    return [...table.rows]
  }
  const time = createManualTime()
  const secrets = await openVisitorSecrets({
    database: { query: query as never },
    time,
    log: pino({ level: 'silent' }),
  })
  return { table, time, secrets }
}
const row = (id: string): Row => ({ id, secret: new Uint8Array(32) })

test('default: an empty table gets one secret of 32 random bytes, and later replicas use it', async () => {
  const { table, secrets } = await open()
  expect(table.rows.length).toBe(1)
  expect(secrets.newest().id).toMatch(/^[0-9a-f]{16}$/)
  expect(secrets.newest().secret.length).toBe(32)
  expect((await open(table.rows)).secrets.newest()).toEqual(secrets.newest())
})

test('behavior: a secret of another replica is read when a token names it, at most once a second', async () => {
  const { table, time, secrets } = await open([row('a')])
  time.advance(5_000)
  table.rows.unshift(row('b'))
  const before = table.reads
  expect((await secrets.find('b'))?.id).toBe('b')
  expect(secrets.newest().id).toBe('b')
  for (let index = 0; index < 100; index++) expect(await secrets.find(`unknown ${index}`)).toBeUndefined()
  expect(table.reads - before).toBe(1)
  time.advance(1_000)
  expect(await secrets.find('unknown')).toBeUndefined()
  expect(table.reads - before).toBe(2)
  expect(secrets.find('a')).toEqual(row('a'))
})

test('error: while the database is away, the secrets in memory are used, and an unknown one is not found', async () => {
  const { table, time, secrets } = await open([row('a')])
  table.isAway = true
  time.advance(20_000)
  expect(await secrets.find('b')).toBeUndefined()
  expect([secrets.newest().id, (await secrets.find('a'))?.id]).toEqual(['a', 'a'])
})

test('behavior: an address has the same pseudonym on all replicas, and another with another secret', async () => {
  const { secrets } = await open([{ id: 'a', secret: new Uint8Array(32).fill(1) }])
  const same = await open([{ id: 'a', secret: new Uint8Array(32).fill(1) }])
  const other = await open([row('a')])
  const address = '192.0.2.7'
  expect(secrets.pseudonymOf(address)).toBe(same.secrets.pseudonymOf(address))
  expect(secrets.pseudonymOf(address)).not.toBe(other.secrets.pseudonymOf(address))
  expect(secrets.pseudonymOf(address)).not.toContain(address)
})
