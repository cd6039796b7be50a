// @module-tag postgres

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { openDatabase } from '@tallystick/database'
import { shortRunFlags } from '@tallystick/workbench/short-run-flags'
import type { DatabaseEngine } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Mapping, openSubgraph, type RebuildOptions, rebuildIndex, type Subgraph } from '../src/index.ts'
import { bundleChild } from './bundle-child.ts'
import { startChain, type TestChain } from './follow-chain.ts'
import { followInto, shortWaits, type TestIndex, tablesOfFresh } from './follow-index.ts'
import { createMapping, schema } from './follow-mapping.mjs'
import { startProxy, type TestProxy } from './follow-proxy.ts'
import { type OpenTest, openTest } from './open-fixture.ts'
import { readTallyError } from './rebuild-queries.mjs'

let script: string
/** Error of a tampered index. */
const wrongBy = -1_000
let chain: TestChain
let proxy: TestProxy
beforeAll(async () => {
  script = await bundleChild('rebuild-child')
  chain = await startChain()
  proxy = await startProxy(chain.url)
  await chain.grow(Array.from({ length: 40 }, (_, salt) => [{ logs: 2, salt }, { empty: 9 }]).flat())
})
afterAll(async () => {
  await proxy.stop()
  await chain.stop()
})

describe('on postgres', () => testEngine('postgres'))
describe('on pglite', { tags: 'slow' }, () => testEngine('pglite'))

function testEngine(engine: DatabaseEngine): void {
  let opened: OpenTest
  let namespaces = 0
  beforeAll(async () => {
    opened = await openTest(engine)
  })
  afterAll(() => opened.close())

  /** Follows the chain into an index, then tampers with it. */
  const startWrongIndex = async (mapping?: Mapping): Promise<TestIndex & { readonly namespace: string }> => {
    const namespace = `${engine}${++namespaces}`
    const index = await followInto(opened.database, { chain, namespace, ...(mapping && { mapping }) })
    onTestFinished(() => index.follower.stop())
    await index.untilCurrent()
    await tamper(namespace)
    return { ...index, namespace }
  }
  const tamper = (namespace: string) =>
    opened.database.query(`update "${namespace}"."Tally" set events = events + $1`, [wrongBy])
  const rebuild = (namespace: string, options: Partial<RebuildOptions> = {}) =>
    rebuildIndex({
      ...{ database: opened.database, schema, namespace, chainId: 324, urls: [chain.url], startBlock: 1 },
      mapping: createMapping(chain.address),
      ...{
        log: { info: () => undefined, warn: () => undefined, error: () => undefined },
        time: shortWaits,
        rpcRetryMs: 5,
      },
      verify: async () => undefined,
      onProgress: () => undefined,
      signal: new AbortController().signal,
      ...options,
    })
  const listNamespaces = async (namespace: string) => {
    const rows = await opened.database.query<{ name: string }>(
      `select nspname::text as name from pg_namespace where nspname like $1 || '%' order by 1`,
      [namespace],
    )
    return rows.map(({ name }) => name)
  }

  test('default: replaces a wrong index, and its follower goes on with the new one', async () => {
    const index = await startWrongIndex()
    const before = index.subgraph.head
    const steps: string[] = []
    const head = await rebuild(index.namespace, { onProgress: ({ step }) => steps.push(step) })
    expect(head.number).toBeGreaterThanOrEqual(before?.number ?? 0)
    expect(head.revision).toBeGreaterThan(before?.revision ?? 0)
    expect(await index.subgraph.readHead()).toEqual(head)
    expect([...new Set(steps)].slice(0, 2)).toEqual(['indexing', 'checking'])
    await chain.emit(3, 1)
    await index.untilCurrent()
    expect(await readTallyError(index.subgraph)).toBe(0)
    const [tables, fresh] = [await index.tables(), await tablesOfFresh(opened.database, chain)]
    for (const name of ['Event', 'Tally']) expect(tables[name]).toEqual(fresh[name])
    expect(await listNamespaces(index.namespace)).toEqual([index.namespace])
    expect(index.lines.join('\n')).not.toContain('indexing failed')
  })

  test('behavior: every answer during a rebuild is wholly of the old index or wholly of the new one', async () => {
    const index = await startWrongIndex()
    // The embedded database has one connection.
    const others = engine === 'pglite' ? [] : await Promise.all([openOther(index), openOther(index), openOther(index)])
    const readers = [index.subgraph, index.subgraph, ...others]
    const child = engine === 'pglite' ? undefined : startChild('query', index.namespace)
    if (child) await expect.poll(child.said).toBe(`${wrongBy}\n`)
    let isOver = false
    const reading = readers.map(async (subgraph) => {
      const seen: number[] = []
      while (!isOver) {
        const error = await readTallyError(subgraph)
        if (error !== seen.at(-1)) seen.push(error)
        // The embedded database answers without the event loop.
        await setImmediate()
      }
      return seen
    })
    await expect.poll(async () => (await listNamespaces(index.namespace)).length).toBe(1)
    await rebuild(index.namespace)
    await chain.emit(1, 1)
    await index.untilCurrent()
    if (child) await expect.poll(child.said).toBe(`${wrongBy}\n0\n`)
    isOver = true
    for (const seen of await Promise.all(reading)) expect(seen).toEqual([wrongBy, 0])
  })

  const openOther = async ({ namespace }: { readonly namespace: string }): Promise<Subgraph> => {
    const database = await openDatabase(opened.url)
    onTestFinished(() => database.close())
    return openSubgraph({ database, schema, namespace })
  }

  test.skipIf(engine === 'pglite')('behavior: a query that began on the old index ends on it', async () => {
    const { namespace, subgraph } = await startWrongIndex()
    const tallySql = `select events from "${namespace}"."Tally" where "$to" = 2147483647`
    const [old] = await opened.database.query(tallySql)
    const other = await openDatabase(opened.url)
    onTestFinished(() => other.close())
    const rebuilding = await other.snapshot(async (snapshot) => {
      await snapshot.query(`select number from "${namespace}"."$blocks" limit 1`)
      let finished: Promise<unknown> = Promise.resolve()
      const waits = new Promise<void>((resolve) => {
        finished = rebuild(namespace, { onProgress: ({ problem }) => problem?.includes('backup') && resolve() })
      })
      await Promise.race([waits, finished])
      expect(await snapshot.query(tallySql)).toEqual([old])
      // Others are answered meanwhile.
      expect(await readTallyError(subgraph)).toBe(wrongBy)
      return { finished }
    })
    await rebuilding.finished
    expect(await readTallyError(subgraph)).toBe(0)
  })

  test('behavior: a block that was mapped from the old index is mapped again', async () => {
    const gate = createGate()
    const { addresses, map } = createMapping(chain.address)
    const held: Mapping = {
      addresses,
      map: async (...mapped) => {
        const changes = await map(...mapped)
        await gate.pass()
        return changes
      },
    }
    const index = await startWrongIndex(held)
    const latest = await chain.rpc('eth_getBlockByNumber', ['latest', false])
    // The new index ends at the same block as the old one.
    proxy.behave(({ forward }) =>
      forward((call, answer) => (call.params[0] === 'latest' ? { id: answer.id, result: latest } : answer)),
    )
    gate.close()
    await chain.emit(2, 1)
    await gate.isWaitedAt
    const { hash } = await rebuild(index.namespace, { urls: [proxy.url] })
    expect(hash).toBe((latest as { hash: string }).hash)
    gate.open()
    await index.untilCurrent()
    expect(await readTallyError(index.subgraph)).toBe(0)
    expect(index.lines.join('\n')).not.toContain('indexing failed')
  })

  test('behavior: an index of another chain, whose head is far ahead, is replaced too', async () => {
    const index = await startWrongIndex()
    await index.follower.stop()
    const block = { number: 1_000_000, hash: `0x${'ee'.repeat(32)}`, parentHash: `0x${'ef'.repeat(32)}`, timestamp: 2 }
    await index.subgraph.commit(block, [])
    const { number } = await rebuild(index.namespace)
    expect(number).toBe(await chain.headNumber())
  })

  test('error: a second rebuild of the same index is refused', async () => {
    const index = await startWrongIndex()
    const gate = createGate()
    gate.close()
    const first = rebuild(index.namespace, { verify: gate.pass })
    await gate.isWaitedAt
    await expect(rebuild(index.namespace)).rejects.toMatchObject({ code: 'rebuild_running' })
    gate.open()
    await first
    expect(await readTallyError(index.subgraph)).toBe(0)
  })

  test('error: an index that the check refuses does not replace the old one', async () => {
    const index = await startWrongIndex()
    const verify = () => Promise.reject(new Error('refused'))
    await expect(rebuild(index.namespace, { verify })).rejects.toThrow('refused')
    expect(await readTallyError(index.subgraph)).toBe(wrongBy)
    expect(await listNamespaces(index.namespace)).toEqual([index.namespace])
  })

  test('error: a rebuild ends if the RPC fails for too long', async () => {
    const index = await startWrongIndex()
    const unreachable = { urls: ['http://127.0.0.1:1'], stalledMs: 50 }
    await expect(rebuild(index.namespace, unreachable)).rejects.toMatchObject({
      code: 'rebuild_failed',
      message: expect.stringContaining('127.0.0.1:1'),
    })
    expect(await listNamespaces(index.namespace)).toEqual([index.namespace])
  })

  test.skipIf(engine === 'pglite')('behavior: after a rebuild was killed, the next one starts clean', async () => {
    const index = await startWrongIndex()
    const gate = createGate()
    let requests = 0
    proxy.behave(async ({ forward }) => {
      requests += 1
      if (requests > 12) await gate.pass()
      await forward()
    })
    gate.close()
    const child = startChild('rebuild', index.namespace)
    await gate.isWaitedAt
    expect(await listNamespaces(index.namespace)).toEqual([index.namespace, `${index.namespace}_new`])
    await child.kill()
    gate.open()
    expect(await readTallyError(index.subgraph)).toBe(wrongBy)
    await opened.database.query(`insert into "${index.namespace}_new"."Tally" values ('other', 1, 1, 1, 2147483647)`)
    // The server may need a moment to notice that the process is gone.
    await expect
      .poll(() => rebuild(index.namespace).then(String, ({ code }: { readonly code?: string }) => code))
      .not.toBe('rebuild_running')
    expect(await readTallyError(index.subgraph)).toBe(0)
    const { data } = await index.subgraph.execute({ query: '{ tallies { id } }' })
    expect(data).toEqual({ tallies: [{ id: 'all' }] })
  })

  function startChild(work: 'query' | 'rebuild', namespace: string) {
    const args = [script, work, opened.url, namespace, proxy.url, chain.address]
    const child = spawn(process.execPath, [...shortRunFlags, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    const kill = async () => {
      child.kill('SIGKILL')
      await exited
    }
    onTestFinished(kill)
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
    })
    return { said: () => said, kill }
  }
}

test('error: a commit is refused after the index was repaired, although its head is the same', async () => {
  const { database, close } = await openTest('postgres')
  onTestFinished(close)
  const subgraph = await openSubgraph({ database, schema, namespace: 'guarded' })
  const block = (number: number) => ({
    number,
    hash: `0x0${number}`,
    parentHash: `0x0${number - 1}`,
    timestamp: number,
  })
  await subgraph.commit(block(1), [])
  const { hash: after, revision } = subgraph.head ?? {}
  await subgraph.setFault('position 1 is missing')
  const late = subgraph.commitMany([{ block: block(2), changes: [] }], { after, revision })
  await expect(late).rejects.toMatchObject({ code: 'index_replaced' })
  await subgraph.commitMany([{ block: block(2), changes: [] }], { after, revision: subgraph.head?.revision })
  expect(subgraph.head?.number).toBe(2)
})

/** Gate at which work waits while it is closed. */
function createGate() {
  let open: () => void = () => undefined
  let opened: Promise<void> = Promise.resolve()
  let arrive: () => void = () => undefined
  const isWaitedAt = new Promise<void>((resolve) => {
    arrive = resolve
  })
  let isClosed = false
  return {
    isWaitedAt,
    close: () => {
      isClosed = true
      opened = new Promise((resolve) => {
        open = resolve
      })
    },
    open: () => {
      isClosed = false
      open()
    },
    pass: async () => {
      if (isClosed) arrive()
      await opened
    },
  }
}
