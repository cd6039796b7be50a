import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatPeriod, hashNote, type Period, periodAfter, periodAt } from '@tallystick/core'
import { encodeDiscard, encodeEntry, openSignerJournal } from '@tallystick/issuer'
import { describe, expect, onTestFinished, test } from 'vitest'
import { pool, signerAddress } from '../../../packages/service/test/harness.ts'
import { entryOf } from '../../../packages/service/test/journal/signer-journals.ts'
import { checkJournal } from '../src/doctor/check-journal.ts'
import { createFindings } from '../src/doctor/findings.ts'

const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: pool } as const
const first = periodAt(1_794_762_000n)
const second = periodAfter(first)

function lineOf(period: Period): Buffer {
  const note = {
    chainId: 324,
    tenorDays: 7,
    maturityTimestamp: period.noteDay + 604_800n,
    coupon: 369n,
    startedAt: period.noteDay,
    validAfter: period.start - 1n,
    validBefore: period.end,
    signature: { r: `0x${'12'.repeat(32)}`, s: `0x${'34'.repeat(32)}`, v: 28 },
  } as const
  return encodeEntry({
    domain,
    set: { chainId: 324, period, signer: signerAddress, issuedAt: period.start, notes: [note] },
    digests: [hashNote(note, domain)],
    curve: {
      chainId: null,
      effectiveFrom: period.start,
      points: { 7: 369 },
      confirmed: false,
      source: 'manual',
      provenance: null,
      createdBy: 'test',
      createdAt: period.start,
    },
  })
}

async function newJournal(...lines: readonly Buffer[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-doctor-journal-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const path = join(directory, 'journal.jsonl')
  await writeFile(path, Buffer.concat(lines), { mode: 0o600 })
  return path
}

/** Checks it, and that the check leaves file and directory as they were. */
async function check(path: string, { isRunning = false } = {}) {
  const look = async () => [
    await readdir(join(path, '..')).catch(() => 'none'),
    await readFile(path, 'utf8').catch(() => 'none'),
    await stat(path).then(
      ({ mtimeMs, mode }) => [mtimeMs, mode],
      () => 'none',
    ),
  ]
  const before = await look()
  const findings = createFindings('journal')
  await checkJournal(findings, { path, isRunning })
  expect(await look()).toEqual(before)
  return findings.list
}

describe('a valid journal', () => {
  test('default: reports the number of sets and the latest period, whatever their order', async () => {
    const path = await newJournal(lineOf(second), lineOf(first))
    const message = `${path} is intact: 2 signed sets, the last of ${formatPeriod(second)}`
    expect(await check(path)).toEqual([{ subject: 'journal', name: 'file', severity: 'ok', message }])
  })

  test('behavior: a discarded set at the end is a complete line, and a pending set is not counted', async () => {
    const discard = encodeDiscard({ chainId: 324, domain, periodStart: first.start, by: 'ann', at: 1n })
    const path = await newJournal(lineOf(first), encodeEntry({ ...entryOf(), isPending: true }), discard)
    const message = `${path} is intact: 1 signed set, the last of ${formatPeriod(first)}`
    expect(await check(path)).toMatchObject([{ severity: 'ok', message }])
  })

  test('default: no journal yet, and an empty one', async () => {
    const path = await newJournal()
    expect(await check(path)).toMatchObject([{ severity: 'ok', message: `${path} is intact: no sets` }])
    await rm(path)
    expect(await check(path)).toMatchObject([
      { severity: 'ok', message: expect.stringContaining('does not exist yet') },
    ])
  })

  test('behavior: it can be read while a service has it open', async () => {
    const path = await newJournal(lineOf(first))
    const journal = await openSignerJournal(path, { create: false, say: () => undefined })
    onTestFinished(() => journal.close())
    expect(await check(path, { isRunning: true })).toMatchObject([{ severity: 'ok' }])
  })

  test('behavior: an incomplete last line is reported, unless a service is running', async () => {
    const path = await newJournal(lineOf(first), lineOf(second).subarray(0, 40))
    expect(await check(path)).toMatchObject([
      { severity: 'ok', message: expect.stringMatching(/1 signed set, .* Its last line is incomplete/) },
    ])
    const [beside] = await check(path, { isRunning: true })
    expect([beside?.severity, beside?.message]).toEqual(['ok', expect.not.stringContaining('incomplete')])
  })
})

describe('a journal that cannot be used', () => {
  test('error: a damaged line, with the remedy', async () => {
    const damaged = Buffer.from(lineOf(second).toString().replace('"369"', '"370"'))
    const path = await newJournal(lineOf(first), damaged, lineOf(second))
    expect(await check(path)).toMatchObject([
      {
        severity: 'fail',
        message: expect.stringMatching(/^Line 2 of the signer journal .* is damaged.* Restore the file/),
      },
    ])
    await appendFile(path, lineOf(second))
    expect(await check(path, { isRunning: true })).toMatchObject([{ severity: 'fail' }])
  })

  test('behavior: without read permission the check is skipped, with a hint', async () => {
    const path = await newJournal(lineOf(first))
    await chmod(path, 0o000)
    const isRoot = process.geteuid?.() === 0
    if (isRoot) process.seteuid?.(65_534)
    const findings = createFindings('journal')
    try {
      await checkJournal(findings, { path, isRunning: false })
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
    const message = `this user cannot read ${path} (EACCES): run the doctor as the service's user`
    expect(findings.list).toMatchObject([{ severity: 'skipped', message }])
  })

  test('error: missing while the service runs', async () => {
    const path = await newJournal()
    await rm(path)
    const message = `${path} is missing while the service runs: it cannot sign without it`
    expect(await check(path, { isRunning: true })).toMatchObject([{ severity: 'warn', message }])
  })

  test('error: a directory in its place, and a file in the place of its directory', async () => {
    const path = await newJournal()
    expect(await check(join(path, 'journal.jsonl'))).toMatchObject([
      { severity: 'fail', message: expect.stringContaining('cannot be read (ENOTDIR)') },
    ])
    await rm(path)
    await mkdir(path)
    expect(await check(path)).toMatchObject([{ severity: 'fail', message: `${path} cannot be read (EISDIR)` }])
  })
})
