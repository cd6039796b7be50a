import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '@tallystick/database'
import { createPrivateKeySigner } from '@tallystick/issuer'
import { currentCoupons } from '@tallystick/sandbox'
import { createOperator, loadConfig, openServiceDatabase } from '@tallystick/service'
import { startPostgres } from '@tallystick/workbench/postgres'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { createStatementLog, type LoggedStatement } from '@tallystick/workbench/statement-log'
import { startChain } from '../../soak/environment/chain.ts'
import { openServerCosts, readProcessorSeconds } from '../process-costs.ts'
import type { Result } from '../result.ts'
import { benchLog, createSite, type Server, type Site } from '../service.ts'

// After the start the heap is collected for a while.
const settleMs = 45_000
const measureMs = 40_000
const sizes = [1, 2]
const keyCount = 5
const chainId = 324
// The defaults of PostgreSQL, which the workbench changes to make tests faster.
const stock = { fsync: 'on', full_page_writes: 'on', wal_level: 'replica', max_wal_senders: '10' }

/**
 * Measures the processor time of replicas without a request, and of PostgreSQL with its defaults, on a real chain that
 * mines an empty block every second. Then lists the statements of the last replicas with the planner's estimates.
 */
export async function measureIdle(): Promise<Result[]> {
  if (process.platform !== 'linux') {
    process.stderr.write('idle: processor time of PostgreSQL is read from /proc, so it is measured on Linux only\n')
    return []
  }
  const statements = createStatementLog()
  const postgres = await startPostgres({ ...statements, settings: { ...stock, ...statements.settings } })
  await postgres.createDatabase('idle')
  const watch = await openDatabase(postgres.url('postgres'))
  process.stderr.write(`${postgres.description}, ${await describeJit(watch)}\n`)
  const chain = await startChain({
    id: chainId,
    clock,
    signer: createPrivateKeySigner(signerKey),
  })
  const receiver = await startLocalServer((request, response) => request.resume().once('end', () => response.end()))
  const site = await createIdleSite(postgres.url('idle'), {
    rpc: chain.url,
    ...chain.protocol,
    hook: `${receiver.url}/`,
  })
  const replicas: Server[] = []
  const results = await measureSizes(site, { replicas, readServer: await openServerCosts(postgres.url('postgres')) })
  for (const statement of statements.begin) await watch.query(statement)
  await sleep(measureMs)
  process.stderr.write(`${formatStatements(statements.read())}\n`)
  for (const { child } of replicas) child.kill('SIGKILL')
  await watch.close()
  await receiver.stop()
  await chain.stop()
  await postgres.stop()
  site.remove()
  return results
}

const clock = { now: () => Date.now() }
const signerKey = `0x${'01'.repeat(32)}` as const

async function describeJit(database: Database): Promise<string> {
  const [row] = await database.transaction(async ({ query }) => {
    // The sessions of `openDatabase` have it off, and PostgreSQL then says that it is not available.
    await query('set local jit = on')
    return query<{ readonly available: boolean }>('select pg_jit_available() as available')
  })
  return row?.available ? 'which has JIT' : 'which has no JIT'
}

/** Configures what an operator may have: limited keys, a log, a webhook, and an index of a chain. */
async function createIdleSite(
  databaseUrl: string,
  { rpc, pool, positions, hook }: { readonly [Name in 'rpc' | 'pool' | 'positions' | 'hook']: string },
): Promise<Site> {
  const embedded = { positions, startBlock: 0 }
  const site = createSite({
    database: databaseUrl,
    log: benchLog,
    chains: [{ id: chainId, name: 'zkSync Era', pool, rpc: [rpc], subgraph: { embedded } }],
    hooks: { allowPrivate: ['127.0.0.1'] },
  })
  const config = loadConfig(site.configPath, { env: site.env, secrets: 'required' })
  const database = await openServiceDatabase(databaseUrl, () => undefined)
  const operator = createOperator({ database, config, clock })
  await operator.setCurve({ points: currentCoupons, confirm: true, by: 'bench' })
  for (let count = 0; count < keyCount; count++) await operator.createKey({ name: `key ${count}`, rpm: 600 })
  await operator.addHook({ url: hook, types: ['notes', 'status'] })
  await database.close()
  return site
}

/** Measures one replica, then two. Adds them to `replicas`. */
async function measureSizes(
  site: Site,
  { replicas, readServer }: { readonly replicas: Server[]; readonly readServer: () => number },
): Promise<Result[]> {
  const results: Result[] = []
  for (const size of sizes) {
    while (replicas.length < size) replicas.push(await site.serve(site.configureReplica(`replica-${replicas.length}`)))
    await sleep(settleMs)
    const readService = () => replicas.reduce((sum, { child }) => sum + readProcessorSeconds(child), 0)
    const [service, postgres] = [readService(), readServer()]
    await sleep(measureMs)
    if (replicas.some(({ child }) => child.exitCode !== null || child.signalCode !== null))
      throw new Error('A replica ended while it was idle.')
    const figure = (name: string, seconds: number): Result => ({
      name: `idle.${name}.${size}`,
      value: (seconds * 100 * 1000) / measureMs / size,
      unit: '% of a core per replica',
      baseline: null,
      ratio: null,
      target: { valueAtMost: 1 },
    })
    results.push(figure('service', readService() - service), figure('postgres', readServer() - postgres))
  }
  return results
}

/** Formats the statements with their calls in a minute. */
function formatStatements(statements: readonly LoggedStatement[]): string {
  const perMinute = (calls: number) => Math.round((calls * 60_000) / measureMs)
  const lines = statements.map(
    ({ text, calls, ms, cost }) => `${perMinute(calls)}/min\t${ms ?? '-'} ms\tcost ${cost ?? '-'}\t${text}`,
  )
  return `statements of ${sizes.at(-1)} replicas:\n${lines.join('\n')}`
}
