// @module-tag server

import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { logChannel } from '@tallystick/public-log'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  chain324,
  createDeferrals,
  newDatabase,
  secureContext,
  shortWaits,
  start,
  type TestService,
} from './harness.ts'
import { type Auditor, createAuditor, tilePath, verifyProof } from './log-verifier/audit-log.ts'
import { Finding, type TreeHead } from './log-verifier/signed-note.ts'
import { type LogProxy, startProxy } from './log-verifier/start-proxy.ts'

// A verifier that was written from the specifications reads the log of a real service. The tests run in their order: the
// log grows from one to the next.

const { defer, finish } = createDeferrals()
let service: TestService
let proxy: LogProxy
let key: string
let auditor: Auditor
const heads: TreeHead[] = []

beforeAll(async () => {
  const listen = { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' }, publicRpm: null }
  const log = { origin: 'notes.example/log', key: 'env:LOG_KEY' }
  const databaseUrl = await newDatabase('postgres', defer)
  // In real time the rows are compared with the log once a minute. Faster, a long log would be compared all the time.
  const waits = Object.fromEntries(Object.keys(shortWaits).map((name) => [name, (ms: number) => ms]))
  // Without a curve the service logs nothing itself.
  service = await start(
    { databaseUrl, curve: null, at: '2026-11-16T15:00:00Z', config: { listen, log }, time: { waits } },
    defer,
  )
  proxy = await startProxy(`${service.baseUrl}/log`, secureContext)
  defer(() => proxy.stop())
  key = (await proxy.get('key')).body.toString()
  auditor = await createAuditor(proxy.get, key)
  return finish
})

/** Adds entries to the database as if the service had logged them, and waits for a checkpoint that covers them. */
async function growTo(size: number): Promise<void> {
  await service.database.query(
    `insert into log_entries (index, leaf_hash, entry, public_from)
     select index, sha256('\\x00'::bytea || convert_to(line, 'UTF8')), line, 0
     from (select index, '{"v":1,"index":' || index || ',"text":"' || repeat('é', (index % 97)::int) || '"}' as line
           from generate_series((select coalesce(max(index) + 1, 0) from log_entries), $1::bigint - 1) as index) lines`,
    [size],
  )
  await service.database.notify(logChannel)
  const readSize = async () => (await proxy.get('checkpoint')).body.toString().split('\n')[1]
  await expect.poll(readSize).toBe(String(size))
}

const sizes = [1, 2, 255, 256, 257, 65_535, 65_537]

async function verifyAt(size: number): Promise<void> {
  await growTo(size)
  const head = await auditor.audit()
  expect(head).toMatchObject({ origin: 'notes.example/log', size })
  expect(auditor.entries).toHaveLength(size)
  const samples = [0, 1, 254, 255, 256, 257, 65_279, 65_280, 65_534, 65_535, 65_536, randomInt(size)]
  for (const index of samples.filter((sample) => sample < size)) await auditor.proveInclusion(index)
  for (const older of heads) await auditor.proveConsistency(older)
  heads.push(head)
}

/** Tiles and bundles that a tree of a size does not have. */
async function expectNothingBeyond(size: number): Promise<void> {
  const last = Math.floor(size / 256)
  const beyond = [
    tilePath(0, last, (size % 256) + 1),
    tilePath('entries', last, (size % 256) + 1),
    tilePath(0, last + 1, 1),
    tilePath(1, Math.floor(last / 256), (last % 256) + 1),
    tilePath(3, 0, 1),
  ]
  for (const path of beyond) expect((await proxy.get(path)).status, path).toBe(404)
}

/** Flips a bit of a resource at a place, by default a random one, and expects that an audit finds it. */
async function expectFound(audit: () => Promise<unknown>, path: string, place?: number): Promise<void> {
  let isChanged = false
  proxy.change = (requested, body) => {
    if (requested !== path) return body
    isChanged = true
    const at = place ?? randomInt(body.length)
    return Buffer.from(body).fill((body[at] as number) ^ (1 << randomInt(8)), at, at + 1)
  }
  try {
    await expect(audit(), path).rejects.toBeInstanceOf(Finding)
  } finally {
    proxy.change = (_, body) => body
  }
  expect(isChanged).toBe(true)
}

const auditAnew = async () => (await createAuditor(proxy.get, key)).audit()

describe('behavior: an independent verifier accepts the log', () => {
  test.each(sizes.slice(0, 5))('at %i entries', async (size) => {
    await verifyAt(size)
    await expectNothingBeyond(size)
  })

  test('and finds a flipped bit anywhere in any resource', async () => {
    const note = (await proxy.get('checkpoint')).body
    // Every part of the checkpoint: origin, size, root, and the name, the key's id and the bytes of the signature.
    for (let place = 0; place < note.length; place += 7) await expectFound(auditAnew, 'checkpoint', place)
    await expectFound(auditAnew, 'checkpoint', note.length - 1)
    await expectFound(auditAnew, 'key', Buffer.byteLength(key) - 1)
    const paths = ['key', 'tile/0/000', 'tile/0/001.p/1', 'tile/1/000.p/1', 'tile/entries/000', 'tile/entries/001.p/1']
    for (const path of paths) for (let tries = 0; tries < 5; tries++) await expectFound(auditAnew, path)
    expect((await auditor.audit()).size).toBe(257)
  })

  test('and finds a fork, a checkpoint that goes back, and another log', async () => {
    const [first] = heads
    await expect(auditor.proveConsistency({ ...(first as TreeHead), root: Buffer.alloc(32) })).rejects.toThrow(Finding)
    await expect(auditor.proveConsistency({ ...(first as TreeHead), size: 258 })).rejects.toThrow('shrank')
    const otherKey = key.replace('notes.example/log', 'notes.example/lug')
    await expect(createAuditor(proxy.get, otherKey)).rejects.toThrow(Finding)
  })

  test.each(sizes.slice(5))('at %i entries', { tags: 'slow' }, async (size) => {
    await verifyAt(size)
    await expectNothingBeyond(size)
  })

  test('and finds a flipped bit in its highest and its last tiles', { tags: 'slow' }, async () => {
    for (const path of ['tile/1/000', 'tile/2/000.p/1', 'tile/0/256.p/1', 'tile/entries/256.p/1']) {
      auditor.forget(path)
      await expectFound(auditor.audit, path)
      auditor.forget(path)
    }
    expect((await auditor.audit()).size).toBe(65_537)
  })
})

test('behavior: an independent verifier accepts the proof of a note set, and finds every changed value', async () => {
  await service.operator.setCurve({ points: { 7: 369, 14: 365, 30: 362 }, by: 'test' })
  const query = `proof?chainid=${chain324.id}&period=2026-11-16T15:00:00Z`
  await expect.poll(async () => (await proxy.get(query)).status).toBe(200)
  const { body } = await proxy.get(query)
  const { index, entry } = verifyProof(body, key)
  expect(index).toBeGreaterThan(sizes[4] as number)
  expect(JSON.parse(entry)).toMatchObject({ v: 1, type: 'notes', chainid: '324' })
  expect((await auditor.audit()).size).toBeGreaterThan(index)
  expect(auditor.entries[index]?.toString()).toBe(entry)
  const proof = JSON.parse(body.toString())
  const changes = [
    { index: index - 1 },
    { size: proof.size + 1 },
    { origin: 'other' },
    { entry: entry.replace('"coupon":"369"', '"coupon":"370"') },
    { root: proof.leafHash },
    { leafHash: proof.root },
    { hashes: proof.hashes.toReversed() },
    { hashes: proof.hashes.slice(1) },
    { checkpoint: proof.checkpoint.replace(`\n${proof.size}\n`, `\n${proof.size + 1}\n`) },
  ]
  for (const change of changes) {
    const changed = Buffer.from(JSON.stringify({ ...proof, ...change }))
    expect(() => verifyProof(changed, key), JSON.stringify(change).slice(0, 99)).toThrow(Finding)
  }
})

test('behavior: an independent verifier accepts the mirror', { tags: 'slow' }, async () => {
  const log = { origin: 'notes.example/log', key: 'env:LOG_KEY', mirror: 'mirror' }
  const mirrored = await start({
    databaseUrl: await newDatabase('pglite'),
    at: '2026-11-16T15:00:00Z',
    config: { log },
  })
  const get = async (path: string) => {
    const type = path.startsWith('tile/') ? 'application/octet-stream' : 'text/plain; charset=utf-8'
    const body = await readFile(join(mirrored.directory, 'mirror', path)).catch(() => undefined)
    return { status: body ? 200 : 404, type, body: body ?? Buffer.alloc(0) }
  }
  const auditMirror = async () => {
    const reader = await createAuditor(get, key)
    const { size } = await reader.audit()
    return { size, types: reader.entries.map((entry) => JSON.parse(entry.toString()).type) }
  }
  const audited = () => auditMirror().catch(() => undefined)
  await expect.poll(audited).toEqual({ size: 3, types: ['curve', 'signer', 'notes'] })
})
