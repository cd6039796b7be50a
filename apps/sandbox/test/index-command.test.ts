// @module-tag server

import { openServiceDatabase } from '@tallystick/service'
import type { DatabaseEngine } from '@tallystick/workbench/test-database'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { approvePosition, claimCall, lendCall, lentAt, transferPosition } from './calls.ts'
import { type Chain, send, startChain } from './chain.ts'
import { createIndexSite, finish, type IndexSite, startGate } from './index-site.ts'

let chain: Chain
let gate: Awaited<ReturnType<typeof startGate>>
let firstLend: bigint

beforeAll(async () => {
  chain = await startChain()
  const [lender, other] = chain.wallets.map(({ address }) => address) as [`0x${string}`, `0x${string}`]
  const approve = { from: lender, to: chain.token, functionName: 'approve', args: [chain.pool, 2n ** 255n] }
  await send(chain, approve)
  for (let lend = 0n; lend < 4n; lend += 1n) {
    const receipt = await send(chain, await lendCall(chain, { lender, at: lentAt + lend }))
    if (lend === 0n) firstLend = receipt.blockNumber
  }
  await send(chain, transferPosition(chain, lender, [other, 2n]))
  const report = { from: chain.admin.address, to: chain.pool, functionName: 'updateDailyFloatingIncome' }
  await send(chain, { ...report, args: [10n ** 15n], at: lentAt + 90_000n })
  await send(chain, { ...report, args: [10n ** 15n], at: lentAt + 180_000n })
  await send(chain, approvePosition(chain, lender, 1n))
  await send(chain, claimCall(chain, lender, 1n))
  gate = await startGate(chain.client.transport.url as string)
})
afterEach(() => gate.release())
afterAll(async () => {
  await gate.stop()
  await chain.stop()
})

const query = '{ positionInfos(orderBy: tokenId) { id principal currentOwner status } }'
const isLogs = (body: string) => body.includes('eth_getLogs')

async function startIndexed(engine: DatabaseEngine) {
  const site = await createIndexSite(chain, { engine, rpcUrl: gate.url })
  const service = await site.serve()
  const head = Number(await chain.client.getBlockNumber())
  const metaQuery = '{ _meta { block { number } } }'
  await expect.poll(async () => (await service.ask(metaQuery)).data?._meta.block.number).toBe(head)
  const [row] = await service.database.query<{ name: string }>(
    "select nspname::text as name from pg_namespace where nspname like 'chain\\_324\\_%'",
  )
  const right = await service.ask(query)
  return { site, service, right, namespace: row?.name as string }
}
type Indexed = Awaited<ReturnType<typeof startIndexed>>

/** Makes an index wrong: a position is missing, another has half its principal, a third is claimed by mistake. */
async function tamper({ service: { database }, namespace }: Pick<Indexed, 'service' | 'namespace'>) {
  const table = `"${namespace}"."PositionInfo"`
  await database.query(`delete from ${table} where id = '2'`)
  await database.query(`update ${table} set principal = principal / 2 where id = '3'`)
  await database.query(`update ${table} set status = 'Claimed' where id = '4'`)
  await database.query(`update "${namespace}"."FloatingIncome" set "accFloatingIncome" = 7 where "$to" = 2147483647`)
  await database.query(`update "${namespace}"."$meta" set revision = revision + 1`)
}

async function dropIndex({ databaseUrl }: IndexSite, namespace: string): Promise<void> {
  const database = await openServiceDatabase(databaseUrl, () => undefined)
  await database.query(`drop schema "${namespace}" cascade`)
  await database.close()
}

const rebuild = (site: IndexSite, ...options: string[]) => site.run('index', 'rebuild', '--chain', '324', ...options)
const check = (site: IndexSite, ...options: string[]) => site.run('index', 'check', '--chain', '324', ...options)

// The embedded database takes longer to start.
describe('on postgres', () => testEngine('postgres'))
describe('on pglite', { tags: 'slow' }, () => testEngine('pglite'))

function testEngine(engine: DatabaseEngine): void {
  test('default: check finds what was tampered with, rebuild heals it, and the service goes on with the new index', async () => {
    const { site, service, right, namespace } = await startIndexed(engine)
    expect(right.data.positionInfos).toHaveLength(4)
    expect(await check(site)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('agrees with the chain') })
    await tamper({ service, namespace })
    const found = await check(site, '--json')
    expect(found.exitCode).toBe(1)
    const { contradictions, count, compared } = JSON.parse(found.stdout).check
    expect(contradictions.toSorted()).toEqual([
      expect.stringMatching(/^Day \d+ has the accFloatingIncome 7 in the index and \d+ on the chain\.$/),
      expect.stringMatching(/^Day \d+ has the accFloatingIncome 7 in the index and \d+ on the chain\.$/),
      'Position 2 is missing in the index.',
      'Position 3 has the principal 500000000000000000000 in the index and 1000000000000000000000 on the chain.',
      expect.stringMatching(/^Position 4 is claimed in the index and held by 0x[0-9a-f]{40} on the chain\.$/),
    ])
    expect({ count, compared }).toEqual({ count: 5, compared: { positions: 3, accounts: 2, days: 2 } })

    const rebuilt = await rebuild(site)
    expect(rebuilt).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/indexed again from block 0 to block/) })
    expect(rebuilt.stderr).toContain('indexing')
    expect(await service.ask(query)).toEqual(right)
    expect(await check(site)).toMatchObject({ exitCode: 0 })
    const audited = await service.database.query('select action, subject, details from audit order by id desc limit 1')
    expect(audited).toMatchObject([{ action: 'index.rebuild', subject: 'chain 324', details: { from: 0 } }])

    // The follower goes on with the new index.
    await chain.client.mine({ blocks: 1 })
    const head = Number(await chain.client.getBlockNumber())
    await expect
      .poll(async () => (await service.ask('{ _meta { block { number } } }')).data._meta.block.number)
      .toBe(head)
  })

  test('behavior: works on the database without a service', { tags: 'slow' }, async () => {
    const { site, service, namespace } = await startIndexed(engine)
    await tamper({ service, namespace })
    await service.stop()
    expect(await check(site)).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('5 contradictions') })
    expect(await rebuild(site)).toMatchObject({ exitCode: 0 })
    expect(await check(site)).toMatchObject({ exitCode: 0 })
    // Without a server nothing runs that could be shown.
    expect(await site.run('index', 'show')).toMatchObject({ stdout: expect.stringContaining('No service runs') })
  })

  test('behavior: a rebuild that was killed leaves the old index, and the next one starts clean', {
    tags: 'slow',
  }, async () => {
    const { site, service, right } = await startIndexed(engine)
    await service.stop()
    gate.hold(isLogs)
    const child = site.launch('index', 'rebuild', '--chain', '324')
    await expect.poll(gate.heldCount).toBeGreaterThan(0)
    child.kill('SIGKILL')
    await finish(child)
    gate.release()
    const again = await site.serve()
    expect(await again.ask(query)).toEqual(right)
    expect(await rebuild(site)).toMatchObject({ exitCode: 0 })
    const rows = await again.database.query("select 1 from pg_namespace where nspname like 'chain\\_324\\_%'")
    expect(rows).toHaveLength(1)
  })
}

test('error: check names a block of another chain, and an index that does not exist', { tags: 'slow' }, async () => {
  const { site, service, namespace } = await startIndexed('postgres')
  await service.stop()
  const database = await openServiceDatabase(site.databaseUrl, () => undefined)
  const newest = `(select max(number) from "${namespace}"."$blocks")`
  await database.query(`update "${namespace}"."$blocks" set hash = '0x' || repeat('ee', 32) where number = ${newest}`)
  await database.close()
  const forked = await check(site)
  expect(forked).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/Block \d+ has the hash 0x(ee){32} in the/),
  })
  await dropIndex(site, namespace)
  expect(await check(site)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('no index of chain 324 yet'),
  })
})

describe('beside a service on PostgreSQL', { tags: 'slow' }, () => {
  test('behavior: Ctrl-C leaves the rebuild running, a second one is refused, the old index serves meanwhile', async () => {
    const { site, service, right, namespace } = await startIndexed('postgres')
    await tamper({ service, namespace })
    gate.hold(isLogs)
    const child = site.launch('index', 'rebuild', '--chain', '324')
    const finished = finish(child)
    await expect.poll(gate.heldCount).toBeGreaterThan(0)
    const second = await rebuild(site)
    expect(second.exitCode).toBe(1)
    expect(second.stderr).toMatch(/A rebuild of the index of chain 324 runs since .*index show/)
    expect((await site.run('index', 'show')).stdout).toMatch(/324 +rebuild +running/)
    child.kill('SIGINT')
    expect(await finished).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('continues in the service') })
    expect((await service.ask(query)).data.positionInfos).toHaveLength(3)
    gate.release()
    await expect.poll(() => service.ask(query)).toEqual(right)
  })

  test('error: refuses a first block after the first lend, and keeps the old index', async () => {
    const { site, service, right, namespace } = await startIndexed('postgres')
    const late = String(firstLend + 1n)
    const refused = await rebuild(site, '--from', late)
    expect(refused.exitCode).toBe(1)
    expect(refused.stdout).toContain(
      `Position 1 was lent before block ${late}. Start at the block of the pool's deployment`,
    )
    expect(await rebuild(site, '--from', '99999999')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('The chain has no block 99999999 yet. The old index stays in use.'),
    })
    expect(await service.ask(query)).toEqual(right)
    // The old index knows no position that would tell.
    await service.database.query(`delete from "${namespace}"."PositionInfo"`)
    const unnoticed = await rebuild(site, '--from', String(firstLend + 4n))
    expect(unnoticed).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('The old index stays in use.') })
    expect(unnoticed.stdout).toMatch(/its lend was not indexed|contradicts the chain/)
    expect(await rebuild(site, '--from', '0')).toMatchObject({ exitCode: 0 })
  })

  test('error: names a chain that is not configured, and an RPC of another chain', async () => {
    const { site, service, right } = await startIndexed('postgres')
    const unknown = await site.run('index', 'rebuild', '--chain', '999')
    expect(unknown).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('The configuration has no chain 999. It has 324.'),
    })
    gate.replace((method) => (method === 'eth_chainId' ? '0x1' : undefined))
    const wrong = await rebuild(site)
    expect(wrong).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('serves chain 1') })
    expect(wrong.stdout).toContain('The old index stays in use.')
    gate.release()
    expect(await service.ask(query)).toEqual(right)
  })

  test('error: a rebuild from an RPC that leaves out logs is refused', async () => {
    const { site, service, right } = await startIndexed('postgres')
    // As a chain does that leaves the bloom empty.
    const logsBloom = `0x${'00'.repeat(256)}`
    gate.replace((method, result) => {
      if (method === 'eth_getLogs') return []
      return method === 'eth_getBlockByNumber' && result ? { ...result, logsBloom } : undefined
    })
    const refused = await rebuild(site)
    expect(refused).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('contradicts the chain') })
    gate.release()
    expect(await service.ask(query)).toEqual(right)
  })
})
