// @module-tag postgres

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openDatabase } from '@tallystick/database'
import { createRandom } from '@tallystick/workbench/random'
import { shortRunFlags } from '@tallystick/workbench/short-run-flags'
import { createTestDatabase, type DatabaseEngine } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { bundleChild } from './bundle-child.ts'
import { startChain, type TestChain } from './follow-chain.ts'
import { followInto, tablesOfFresh } from './follow-index.ts'
import { forwardAll, type ProxiedCall, startProxy, type TestProxy } from './follow-proxy.ts'
import { openTest } from './open-fixture.ts'
import { readTables, type TableRow } from './read-tables.ts'

let script: string
const namespace = 'crash'
let chain: TestChain
let proxy: TestProxy
let head: number
let expected: Readonly<Record<string, readonly TableRow[]>>

beforeAll(async () => {
  script = await bundleChild('follow-child')
  chain = await startChain()
  proxy = await startProxy(chain.url)
  await chain.grow(Array.from({ length: 300 }, (_, salt) => [{ logs: 10, salt }, { empty: 2 }]).flat())
  head = await chain.headNumber()
  const opened = await openTest('postgres')
  expected = await tablesOfFresh(opened.database, chain)
  await opened.close()
})
afterAll(async () => {
  await proxy.stop()
  await chain.stop()
})

type Child = { readonly process: ChildProcess; readonly said: () => string; readonly kill: () => Promise<void> }

const startChild = (databaseUrl: string): Child => {
  // With flags, Node does not use the compiled code of its own modules.
  const flags = databaseUrl.startsWith('file:') ? shortRunFlags : []
  const child = spawn(process.execPath, [...flags, script, databaseUrl, namespace, proxy.url, chain.address], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  const kill = async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  return { process: child, said: () => said, kill }
}

// About as many requests as the follower needs to find the limit below. Kills come later, while ranges are stored.
const requestsUntilStored = 20

/** Rejects wide ranges, so that a backfill uses many calls and transactions. */
const refuseWide = ({ method, params }: ProxiedCall) => {
  const [filter] = params as [{ fromBlock?: string; toBlock?: string }]
  const isTooWide = method === 'eth_getLogs' && Number(filter.toBlock) - Number(filter.fromBlock) >= 8
  return isTooWide ? { message: 'range too large' } : undefined
}

test.each([
  ['postgres', 20],
  ['pglite', 2],
] as const)(
  'behavior: on %s, killed at %i moments of a backfill, ends in the same tables',
  { tags: 'slow' },
  killDuringBackfill,
)

async function killDuringBackfill(engine: DatabaseEngine, kills: number) {
  const { url, remove } = await createTestDatabase(engine, inject('databases'))
  const random = createRandom(kills)
  let killsAfterStoring = 0
  for (let round = 0; round < kills; round += 1) {
    const [requests, delayMs] = [requestsUntilStored + Math.floor(random() * 20), random() * 20]
    const isReached = new Promise<void>((resolve) => {
      proxy.behave(({ count, forwardUnless }) => {
        if (count >= requests) setTimeout(resolve, delayMs)
        return forwardUnless(refuseWide)
      })
    })
    const child = startChild(url)
    await isReached
    await child.kill()
    expect(child.said()).not.toContain('following')
    if (/ [1-9]\d* events/.test(child.said())) killsAfterStoring += 1
  }
  expect(killsAfterStoring).toBeGreaterThanOrEqual(kills / 2)
  proxy.behave(forwardAll)
  const last = startChild(url)
  await expect.poll(last.said).toContain(`at ${head},`)
  expect(last.said()).toContain('backfilling')
  await last.kill()
  const database = await openDatabase(url)
  expect(await readTables(database, namespace)).toEqual(expected)
  await database.close()
  await remove()
}

test('behavior: one of two followers works, and the other takes over when it is killed', async () => {
  const { url, remove } = await createTestDatabase('postgres', inject('databases'))
  const first = startChild(url)
  await expect.poll(first.said).toContain(`following at ${head},`)
  const second = startChild(url)
  await expect.poll(second.said).toContain(`waiting for lock at ${head},`)
  await chain.emit(4, 1)
  await expect.poll(first.said).toContain(`following at ${head + 1},`)
  await expect.poll(second.said).toContain(`waiting for lock at ${head + 1}, 0 events`)
  await first.kill()
  await chain.emit(5, 1)
  await expect.poll(second.said).toContain(`following at ${head + 2}, 5 events`)
  await second.kill()
  const database = await openDatabase(url)
  const { Tally = [] } = await readTables(database, namespace)
  expect(Tally.at(-1)).toMatchObject({ events: (expected['Event']?.length ?? 0) + 9 })
  await database.close()
  await remove()
})

test('behavior: stop hands over immediately, and a lost lock is acquired again', async () => {
  const opened = await openTest('postgres')
  const other = await openDatabase(opened.url)
  const first = await followInto(opened.database, { chain, namespace: 'both' })
  await first.untilCurrent()
  const second = await followInto(other, { chain, namespace: 'both' })
  await expect.poll(() => second.follower.status()).toMatchObject({ state: 'waiting for lock', lagBlocks: 0 })
  await first.follower.stop()
  await expect.poll(() => second.follower.status().state).toBe('following')
  await opened.database.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
     and database = (select oid from pg_database where datname = current_database())`,
  )
  await chain.emit(1, 1)
  await second.untilCurrent()
  await second.follower.stop()
  await other.close()
  await opened.close()
})
