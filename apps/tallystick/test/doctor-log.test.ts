import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogKeyText, type LogKey, openLogJournal, parseLogKey } from '@tallystick/public-log'
import { parseVerifierKey } from '@tallystick/tlog'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkLog } from '../src/doctor/check-log.ts'
import { createFindings } from '../src/doctor/findings.ts'
import { type Site, tallystick } from './process.ts'

const origin = 'notes.example/log'
const root = Buffer.alloc(32).toString('base64')

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-doctor-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

describe('the doctor on the public log', () => {
  const keyText = createLogKeyText(origin)
  const { sign } = parseLogKey(keyText) as LogKey
  const checkpoint = { size: 2, note: sign(`${origin}\n2\n${root}\n`) }
  const good = { entries: 2, checkpoint, isRootValid: true, alteredRows: [] }

  async function check(report: Parameters<typeof checkLog>[1]['report'], { lines = 2, key = keyText } = {}) {
    const journal = join(await newDirectory(), 'log-journal.jsonl')
    const file = await openLogJournal(journal)
    await file.append(Array.from({ length: lines }, (_, index) => `{"n":${index}}`))
    await file.close()
    const findings = createFindings('log')
    const config = { origin, key: { reveal: () => key }, journal, mirror: undefined, signerReason: undefined }
    await checkLog(findings, { config, report, unread: 'it cannot be read' })
    return findings.list.map(({ name, severity }) => `${severity} ${name}`)
  }

  test('default: a log in order', async () => {
    expect(await check(good)).toEqual(['ok checkpoint', 'ok rows', 'ok published'])
    expect(await check({ ...good, entries: 0, checkpoint: null }, { lines: 0 })).toContain('ok checkpoint')
  })

  test('error: changed rows, a wrong root, a restored database and another key', async () => {
    expect(await check({ ...good, alteredRows: ['entry 1: …'] })).toContain('fail rows')
    expect(await check({ ...good, isRootValid: false })).toContain('fail entries')
    expect(await check(good, { lines: 3 })).toContain('fail published')
    expect(await check(good, { key: createLogKeyText(origin) })).toContain('fail checkpoint')
  })

  test('behavior: what cannot be checked is skipped with the reason', async () => {
    expect(await check(undefined)).toEqual(['skipped log'])
    expect(await check(good, { key: '' })).toContain('skipped key')
    const findings = createFindings('log')
    await checkLog(findings, { config: undefined, report: undefined, unread: '' })
    expect(findings.list[0]?.message).toContain('nobody can check what this service signed')
  })
})

describe('tallystick log init', () => {
  async function newSite(config?: object): Promise<Site> {
    const directory = await newDirectory()
    const configPath = join(directory, 'tallystick.json')
    if (config) await writeFile(configPath, JSON.stringify(config))
    return { directory, configPath, ca: '', env: {} }
  }

  test('default: origin and file of the configuration, and a key that only its owner can read', async () => {
    const site = await newSite({ log: { origin, key: 'file:secrets/log.key' } })
    const made = await tallystick(site, 'log', 'init', '--json')
    const { path, verifierKey } = JSON.parse(made.stdout)
    expect([made.exitCode, path]).toEqual([0, join(site.directory, 'secrets', 'log.key')])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(parseVerifierKey(verifierKey)?.name).toBe(origin)
    expect(parseLogKey(await readFile(path, 'utf8'))?.verifier).toEqual(parseVerifierKey(verifierKey))
    expect(made.stdout).not.toContain('PRIVATE')
  })

  test('error: an existing key is never overwritten', async () => {
    const site = await newSite()
    const path = join(site.directory, 'log.key')
    await writeFile(path, 'a key')
    const refused = await tallystick(site, 'log', 'init', '--origin', origin, '--out', path)
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('exists and was not changed')])
    expect(await readFile(path, 'utf8')).toBe('a key')
  })

  test.each([
    [['--out', 'k'], 'Give the name of the log with --origin'],
    [['--origin', 'a b', '--out', 'k'], 'Give the name of the log with --origin'],
    [['--origin', 'a+b', '--out', 'k'], 'Give the name of the log with --origin'],
    [['--origin', origin], 'Give the file to write the key to with --out'],
  ])('error: %j', async (options, message) => {
    const refused = await tallystick(await newSite(), 'log', 'init', ...options)
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining(message)])
  })
})
