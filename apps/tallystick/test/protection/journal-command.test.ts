// @module-tag postgres

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { periodAfter } from '@tallystick/core'
import { openSignerJournal } from '@tallystick/issuer'
import { describe, expect, test } from 'vitest'
import { newDatabase, newEmptyDatabase, start } from '../../../../packages/service/test/harness.ts'
import { domain, entryOf, period } from '../../../../packages/service/test/journal/signer-journals.ts'
import { prepareSite, type Site, tallystick } from '../process.ts'

const unused = 'file:unused'

async function newSite({ protection }: { protection?: string } = {}): Promise<Site & { readonly journal: string }> {
  const signer = { kind: 'private-key', key: 'env:SIGNER_KEY', ...(protection && { protection }) }
  const site = await prepareSite({ databaseUrl: unused, config: { signer } })
  return { ...site, journal: join(site.directory, '.tallystick/signer-journal.jsonl') }
}

/** Writes entries to the journal of a site: 440 bps in three periods, unless told otherwise. */
async function sign(site: { readonly journal: string }, entries = threeEntries()): Promise<void> {
  const journal = await openSignerJournal(site.journal, { create: true, say: () => undefined })
  for (const entry of entries) await journal.append(entry)
  await journal.close()
}

const threeEntries = () =>
  [period, periodAfter(period), periodAfter(periodAfter(period))].map((of) => entryOf({ of })).toReversed()

async function exportFrom(site: Site, ...options: string[]): Promise<string> {
  const file = join(site.directory, `export-${Math.random()}.jsonl`)
  const { stderr } = await tallystick(site, 'journal', 'export', file, ...options)
  expect(stderr).toBe('')
  return file
}

/** An export with the right end, of lines that may be wrong. */
async function writeExport(site: Site, lines: readonly string[]): Promise<string> {
  const body = lines.map((line) => `${line}\n`).join('')
  const sha256 = createHash('sha256').update(body).digest('hex')
  const file = join(site.directory, 'written.jsonl')
  await writeFile(file, `${body}${JSON.stringify({ entries: lines.length - 1, sha256 })}\n`)
  return file
}

test('default: an export has one line per note, and importing it makes the same export', async () => {
  const protection = await newEmptyDatabase()
  const [from, to] = [await newSite(), await newSite({ protection })]
  await sign(from)
  const file = await exportFrom(from)
  const [first, note, ...rest] = (await readFile(file, 'utf8')).trim().split('\n')
  expect([first, rest]).toEqual(['{"format":"tallystick-journal","version":1}', expect.objectContaining({ length: 3 })])
  expect(JSON.parse(note as string)).toEqual({
    chainId: 324,
    domain,
    periodStart: String(period.start),
    maturity: String(period.noteDay + 604_800n),
    tenorDays: 7,
    coupon: '440',
    digest: entryOf().digests[0],
  })
  expect((await stat(file)).mode & 0o777).toBe(0o600)

  const imported = await tallystick(to, 'journal', 'import', file, '--json')
  expect(JSON.parse(imported.stdout)).toMatchObject({ entries: 3, journal: { path: to.journal, added: 3 } })
  const again = await tallystick(to, 'journal', 'import', file)
  expect(again.stdout).toContain(`Added to the signer journal ${to.journal}: 0.`)
  const copies = [await exportFrom(to), await exportFrom(to, '--from', 'protection')]
  for (const copy of copies) expect(await readFile(copy, 'utf8')).toBe(await readFile(file, 'utf8'))
  // Never over a file that exists.
  expect(await tallystick(to, 'journal', 'export', file)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('exists and was not changed'),
  })
})

test('behavior: a replica never signs other terms than those it imported, and misses nothing in its database', async () => {
  const at = '2026-11-15T12:00:00-05:00'
  const first = await start({ databaseUrl: await newDatabase(), at })
  const site = await newSite()
  const exporting = { ...site, configPath: join(first.directory, 'tallystick.json') }
  const signer = { kind: 'private-key', key: 'env:SIGNER_KEY', journal: first.config.signer.journal }
  const settings = { ...JSON.parse(await readFile(site.configPath, 'utf8')), signer }
  await writeFile(exporting.configPath, JSON.stringify(settings))
  // Beside the running service, which has the journal open.
  const file = await exportFrom(exporting)
  expect(await tallystick(exporting, 'journal', 'import', file)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('is in use by process'),
  })
  await tallystick(site, 'journal', 'import', file)

  const config = { signer: { kind: 'private-key', key: 'env:SIGNER_KEY', journal: site.journal } }
  const raised = { 7: 440, 14: 436, 30: 433 }
  const other = await start({ databaseUrl: await newDatabase(), at, config, curve: raised })
  const { current } = (await other.operator.showNotes()).chains[0] ?? {}
  expect(current).toMatchObject({ signed: false, refusal: { reason: 'journal_contradicted' } })
  expect((await other.admin('/metrics')).body).not.toMatch(/^tallystick_books_differ\{.* [1-9]/m)
  await other.stop()
  const same = await start({ databaseUrl: await newDatabase(), at, config })
  expect((await same.operator.showNotes()).chains[0]?.current.signed).toBe(true)
})

describe('an import that changes nothing', () => {
  async function refusedBy(site: Awaited<ReturnType<typeof newSite>>, file: string): Promise<string> {
    const before = existsSync(site.journal) ? await readFile(site.journal, 'utf8') : ''
    const { exitCode, stderr } = await tallystick(site, 'journal', 'import', file)
    expect([exitCode, await readFile(site.journal, 'utf8')]).toEqual([1, before])
    return stderr
  }

  test('error: of a note with other terms in the journal, or in the protection', async () => {
    const protection = await newEmptyDatabase()
    const [from, to] = [await newSite(), await newSite({ protection })]
    await sign(from)
    const file = await exportFrom(from)
    const last = periodAfter(periodAfter(period))
    await sign(to, [entryOf({ of: last, coupon: 369n })])
    expect(await refusedBy(to, file)).toContain('has 369 bps for the 7-day note')
    const elsewhere = await newSite({ protection })
    // Nothing of it is in the protection, though the first two notes are no conflict.
    const copy = await exportFrom(elsewhere, '--from', 'protection')
    expect((await readFile(copy, 'utf8')).split('\n')).toHaveLength(3)
    await tallystick(elsewhere, 'journal', 'import', await exportFrom(to), '--into', 'protection')
    const third = await newSite({ protection })
    await sign(third, [])
    expect(await refusedBy(third, file)).toContain('the 7-day note has 369 bps, not 440 bps')
    expect((await readFile(await exportFrom(third, '--from', 'protection'), 'utf8')).split('\n')).toHaveLength(4)
  })

  test('error: of a file that is not a whole export', async () => {
    const site = await newSite()
    const from = await newSite()
    await sign(from)
    await sign(site, [])
    const lines = (await readFile(await exportFrom(from), 'utf8')).trim().split('\n')
    const [header, a, b, c] = lines as [string, string, string, string]
    const written = async (text: string | Buffer) => {
      const file = join(site.directory, 'hostile.jsonl')
      await writeFile(file, text)
      return refusedBy(site, file)
    }
    expect(await written('')).toContain('is not complete')
    expect(await written(lines.slice(0, -1).join('\n'))).toContain('is not complete')
    expect(await written(`${lines.join('\n')}\n`.slice(0, -30))).toContain('Line 5')
    expect(await written(`${lines.join('\n')}\n${a}\n`)).toContain('follows the end')
    expect(await written(lines.toSpliced(2, 1).join('\n'))).toContain('is the end of another export')
    expect(await written('\0'.repeat(100_000))).toContain('more than 4096 bytes')
    expect(await written('[['.repeat(40_000))).toContain('more than 4096 bytes')
    expect(await written('null\n')).toContain('Line 1')
    const changed = async (...of: string[]) => refusedBy(site, await writeExport(site, of))
    expect(await changed(header.replace('1', '2'), a)).toContain('has the version 2. This release reads version 1')
    expect(await changed('{}', a)).toContain('is not the beginning of an export')
    expect(await changed(header, a, a)).toContain('is a repetition')
    expect(await changed(header, b, a)).toContain('not in the order')
    expect(await changed(header, a.replace('"440"', '"369"'), b, c)).toContain('Line 2 of')
    expect(await changed(header, a.replace('"440"', '"369"'))).toContain('a digest that is not that of its terms')
    expect(await changed(header, a.replace('"440"', '440'))).toContain('is not an entry')
    expect(await changed(header, a.replace('"440"', '"-1"'))).toContain('is not an entry')
    expect(await changed(header, a.replace(String(period.start), String(period.start + 1n)))).toContain('no period')
    expect(await changed(header, a.replace(String(period.start), '9'.repeat(19)))).toContain('is not an entry')
    expect(await tallystick(site, 'journal', 'import', site.directory)).toMatchObject({ exitCode: 1 })
    expect(await tallystick(site, 'journal', 'import', '/nowhere')).toMatchObject({
      stderr: expect.stringContaining('cannot be read (ENOENT)'),
    })
  })

  test('error: into a protection that is not configured, and an export from one', async () => {
    const site = await newSite()
    const expected = { exitCode: 3, stderr: expect.stringContaining('signer.protection is not set') }
    expect(await tallystick(site, 'journal', 'import', 'a', '--into', 'protection')).toMatchObject(expected)
    expect(await tallystick(site, 'journal', 'export', 'a', '--from', 'protection')).toMatchObject(expected)
    expect(await tallystick(site, 'journal', 'export', 'a', '--from', 'both')).toMatchObject({ exitCode: 2 })
    expect((await tallystick(site, 'journal', 'export', 'a')).stderr).toContain('cannot be read (ENOENT)')
  })
})
