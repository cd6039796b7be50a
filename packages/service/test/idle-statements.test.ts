// @module-tag slow
// @module-tag postgres

import { openDatabase } from '@tallystick/database'
import { startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import { startPostgres } from '@tallystick/workbench/postgres'
import { createStatementLog } from '@tallystick/workbench/statement-log'
import { expect, onTestFinished, test } from 'vitest'
import { chain324, createKey, logKey, start } from './harness.ts'
import { startReceiver } from './hook-receiver.ts'

// PostgreSQL compiles a statement above 100,000 (`jit_above_cost`).
const costMax = 1_000
// Texts of what an idle replica polls. Each must be seen, so that none is missed.
const polled = [
  'api_key_revision',
  'api_key_leases',
  'insert into replicas',
  'from events',
  'from hooks',
  'log_checkpoints',
  '$blocks',
  'clock_timestamp()',
]

test('behavior: no statement of an idle replica is expensive on tables that were never analysed', async () => {
  const statements = createStatementLog()
  const postgres = await startPostgres(statements)
  onTestFinished(() => postgres.stop())
  await postgres.createDatabase('idle')
  const databaseUrl = postgres.url('idle')
  const node = await startDevChain({ chainId: 324 })
  onTestFinished(() => node.stop())
  const embedded = { positions: '0x0000000000000000000000000000000000000abc', startBlock: 0 }
  const service = await start({
    databaseUrl,
    config: {
      chains: [{ ...chain324, rpc: [node.url], subgraph: { embedded } }],
      log: { origin: 'notes.example/log', key: 'env:LOG_KEY' },
      hooks: { allowPrivate: ['127.0.0.1'] },
    },
    env: { LOG_KEY: logKey },
  })
  await createKey(service)
  await service.operator.addHook({ url: (await startReceiver()).url, types: ['notes', 'status'] })
  const admin = await openDatabase(postgres.url('postgres'))
  onTestFinished(() => admin.close())
  for (const statement of statements.begin) await admin.query(statement)
  const callsOf = (part: string) =>
    statements
      .read()
      .reduce((sum, { text, calls, cost }) => sum + (cost !== undefined && text.includes(part) ? calls : 0), 0)
  await expect.poll(() => polled.filter((part) => callsOf(part) < 2)).toEqual([])
  const expensive = statements.read().filter(({ cost = 0 }) => cost > costMax)
  expect(expensive).toEqual([])
})
