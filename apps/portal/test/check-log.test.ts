import { decodeNote, type Note, type WireNote } from '@tallystick/core'
import { createPublicLog } from '@tallystick/workbench/public-log/create-public-log'
import { type PublicLogServer, servePublicLog } from '@tallystick/workbench/public-log/serve-public-log'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { checkLog } from '../src/verify/check-log.ts'
import { formatNotesEntry } from './format-notes-entry.ts'

const issuedAt = 1794610203n
let server: PublicLogServer
let stored: Map<string, string>

beforeAll(async () => {
  server = await servePublicLog(createPublicLog())
  return () => server.close()
})

/** Serves a log with one entry, the notes of the evening of 13 November 2026. */
beforeEach(() => {
  const log = createPublicLog()
  log.append(formatNotesEntry(wire, String(issuedAt)))
  log.publish()
  server.log = log
  server.faultOf = () => undefined
  server.requests.length = 0
  stored = new Map()
})

const wire = [7, 14, 30].map((days) => makeNote(days, 1794610800n))
const notes = wire.map(decodeNote)

function makeNote(days: number, start: bigint): WireNote {
  return {
    chainid: '324',
    maturity_timestamp: String(1794546000 + days * 86_400),
    coupon: String(370 - days),
    note_started_at: '1794546000',
    signature_valid_after: String(start - 1n),
    signature_valid_before: String(start + 21_600n),
    signature: { r: `0x${'1a'.repeat(32)}`, s: `0x${'2b'.repeat(32)}`, v: 27 },
  }
}

async function check(given: readonly Note[] = notes, { key, log = server.url }: { key?: string; log?: string } = {}) {
  const storage = {
    get: (origin: string) => stored.get(origin),
    set: (origin: string, checkpoint: string) => void stored.set(origin, checkpoint),
  }
  const checks = await checkLog(given, { log, key, storage })
  return given.map((note) => checks.get(note))
}

test('default: the notes of a period are found with one proof, and the checkpoint is kept', async () => {
  const found = await check()
  expect(found).toEqual(notes.map(() => expect.objectContaining({ status: 'logged', index: 0, size: 1, issuedAt })))
  expect(server.requests.filter((path) => path.startsWith('proof'))).toHaveLength(1)
  expect([...stored]).toEqual([['notes.example/log', server.log.checkpoint]])
  expect(await check(notes, { key: server.log.key })).toEqual(found)
})

test('error: one altered note is missing, the others of its period are logged', async () => {
  const [first, second, third] = notes as [Note, Note, Note]
  const found = await check([first, { ...second, coupon: 1000n }, third])
  expect(found.map((result) => result?.status)).toEqual(['logged', 'missing', 'logged'])
  expect(found[1]).toEqual({ status: 'missing', text: 'Entry 0 has other notes for this period.' })
})

test('error: a period that the log does not have is missing', async () => {
  const [result] = await check([decodeNote(makeNote(7, 1794632400n))])
  expect(result).toEqual({ status: 'missing', text: 'The log has no notes for this period.' })
})

test('error: a log that goes back or forks is not trusted, and both checkpoints are shown', async () => {
  await check()
  const known = server.log.checkpoint
  const fork = server.log.fork(0)
  fork.append(formatNotesEntry(wire, String(issuedAt + 1n)))
  fork.publish()
  server.log = fork
  const forked = await check()
  expect(forked[0]).toMatchObject({ status: 'untrusted', evidence: [known, fork.checkpoint] })
  fork.publish(0)
  expect((await check())[0]).toMatchObject({ status: 'untrusted', evidence: [known, fork.checkpoint] })
  expect([...stored.values()]).toEqual([known])
})

test('error: a log with a new key is not trusted, nor one that a pasted key did not sign', async () => {
  await check()
  const other = createPublicLog()
  other.append(formatNotesEntry(wire, String(issuedAt)))
  other.publish()
  const [pasted] = await check(notes, { key: other.key })
  expect(pasted).toMatchObject({ status: 'untrusted', evidence: [] })
  server.log = other
  const [changed] = await check()
  expect(changed).toMatchObject({ status: 'untrusted', text: expect.stringContaining('new key') })
})

test('error: a service without a log, a failing log and one that cannot be reached', async () => {
  expect((await check(notes, { log: `${server.url}/elsewhere` }))[0]).toEqual({ status: 'no-log' })
  server.faultOf = (path) => (path === 'key' ? { kind: 'status', status: 503 } : undefined)
  expect((await check())[0]).toMatchObject({ status: 'unreachable', text: expect.stringContaining('status 503') })
  server.faultOf = (path) => (path === 'key' ? { kind: 'cut' } : undefined)
  expect((await check())[0]).toMatchObject({ status: 'unreachable' })
  server.faultOf = (path) => (path === 'checkpoint' ? { kind: 'flip', byte: 20 } : undefined)
  expect((await check())[0]).toMatchObject({ status: 'untrusted' })
})

test('error: periods beyond the limit of a look-up are not reported as logged', async () => {
  const many = Array.from({ length: 13 }, (_, index) => decodeNote(makeNote(7, 1794610800n + 86_400n * BigInt(index))))
  const found = await check(many)
  expect(found.map((result) => result?.status)).toEqual([
    'logged',
    ...Array.from({ length: 11 }, () => 'missing'),
    'unreachable',
  ])
})
