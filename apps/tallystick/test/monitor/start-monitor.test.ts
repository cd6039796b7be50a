import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { maturityOf, periodAfter } from '@tallystick/core'
import { createPublicLog } from '@tallystick/workbench/public-log/create-public-log'
import { servePublicLog } from '@tallystick/workbench/public-log/serve-public-log'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startFakeLendChain } from '../../../../packages/service/test/fake-lend-chain.ts'
import {
  firstPeriod,
  notesEntry,
  otherSigner,
  startMonitoredLog,
} from '../../../../packages/service/test/monitored-log.ts'
import { runCommandLine } from '../../src/commands/run-command-line.ts'
import type { Terminal } from '../../src/commands/terminal/terminal.ts'

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-monitor-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  return directory
}

function collect(chunks: string[]): Writable {
  return new Writable({
    write: (chunk, _, done) => {
      chunks.push(String(chunk))
      done()
    },
  })
}

/** Runs `tallystick monitor` in this process. */
async function run(commandLine: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const chunks = { stdout: [] as string[], stderr: [] as string[] }
  const terminal: Terminal = {
    env,
    stdin: process.stdin,
    stdout: collect(chunks.stdout),
    stderr: collect(chunks.stderr),
  }
  await runCommandLine(['monitor', ...commandLine], terminal)
  return { exitCode: terminal.exitCode ?? 0, stdout: chunks.stdout.join(''), stderr: chunks.stderr.join('') }
}

describe('--once', () => {
  test('default: exits with 0 without findings, and continues with the state', async () => {
    const { server, log, publish } = await startMonitoredLog()
    publish(await notesEntry())
    const state = join(await newDirectory(), 'state.json')
    const commandLine = [server.url, '--key', log.key, '--once', '--state', state]
    const first = await run(commandLine)
    expect([first.exitCode, first.stderr]).toEqual([0, ''])
    const end = 'No findings: 3 entries, lends on chain 324 not checked (no --rpc).'
    expect(first.stdout.split('\n').map((line) => line.replace(/^\S+Z /, ''))).toEqual([
      'Monitoring the log notes.example/log: nothing was checked before. No --rpc is given: lends are not checked.',
      ...(first.stdout.includes('Chain 324') ? [expect.stringMatching(/^Chain 324, .* 2 notes checked/)] : []),
      end,
      '',
    ])
    publish(await notesEntry({ period: periodAfter(firstPeriod) }))
    const second = await run(commandLine)
    expect(second.exitCode).toBe(0)
    expect(second.stdout).toContain('3 of 3 entries were checked before')
    // Nothing is new.
    expect(await run(commandLine)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    expect(await run([...commandLine, '--json'])).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })

  test('behavior: the last line counts the lends that were checked and those that cannot be', async () => {
    const { server, log, publish } = await startMonitoredLog()
    publish(await notesEntry())
    const chain = await startFakeLendChain()
    const maturity = maturityOf({ noteDay: firstPeriod.noteDay, tenorDays: 7 })
    chain.mine(firstPeriod.start - 3_600n, { maturity, coupon: 1n }, { maturity, coupon: 2n })
    chain.mine(firstPeriod.start, { maturity, coupon: 369n })
    const state = join(await newDirectory(), 'state.json')
    const rpc = ['--rpc', `324=${chain.url}`]
    const commandLine = [server.url, '--key', log.key, '--once', '--state', state, ...rpc]
    const { exitCode, stdout } = await run(commandLine)
    const end = '3 entries, 1 new lend on chain 324, 2 from before the log that cannot be checked.'
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`No findings: ${end}`)])
    chain.mine(firstPeriod.start + 10n)
    expect(await run(commandLine)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    const forged = [...rpc, '--pool', `324=${otherSigner.address}`]
    chain.mine(firstPeriod.start + 20n, { maturity, coupon: 369n, pool: otherSigner.address })
    const named = await run([...commandLine.slice(0, -2), ...forged])
    expect([named.exitCode, named.stdout]).toEqual([1, expect.stringContaining('FINDING lend_not_logged')])
  })

  test.each([
    ['the service', (url: string) => url.replace(/\/log$/, '')],
    ['the service, with a slash', (url: string) => url.replace(/log$/, '')],
    ['the log, with a slash', (url: string) => `${url}/`],
  ])('behavior: takes the URL of %s', async (_, change) => {
    const { server, log } = await startMonitoredLog()
    expect(await run([change(server.url), '--key', log.key, '--once'])).toMatchObject({ exitCode: 0 })
  })

  test('error: exits with 1 at a finding, in each run, and prints JSON lines', async () => {
    const { server, log, publish } = await startMonitoredLog()
    publish(await notesEntry({ coupons: { 7: '1' } }))
    const { exitCode, stdout } = await run([server.url, '--key', log.key, '--once', '--json'])
    expect(exitCode).toBe(1)
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.map(({ event }) => event)).toEqual(['start', 'finding', 'done'])
    expect(events[1]).toMatchObject({
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      kind: 'wrong_coupon',
      message: expect.stringContaining('Entry 2, the set of chain 324'),
    })
  })

  test('error: exits with 1 if the log cannot be reached', async () => {
    const { log } = await startMonitoredLog()
    const closed = await servePublicLog(log)
    await closed.close()
    const { exitCode, stdout } = await run([closed.url, '--key', log.key, '--once'])
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringContaining('WARNING The log cannot be reached (ECONNREFUSED).'),
    ])
    expect(stdout).toContain('Not everything could be checked')
  })

  test('error: a redirect is not followed', async () => {
    const { server, log } = await startMonitoredLog()
    const moved = await startLocalServer((_, response) =>
      response.writeHead(302, { location: `${server.url}/checkpoint` }).end(),
    )
    onTestFinished(moved.stop)
    const { exitCode, stdout } = await run([`${moved.url}/log`, '--key', log.key, '--once'])
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringContaining('responded with a redirect (302). Give its new URL.'),
    ])
    expect(server.requests).toEqual([])
  })

  test('error: a text of the log cannot begin a new line', async () => {
    const { server, log, publish } = await startMonitoredLog()
    publish({ v: 1, type: 'signer', nested: '\n2026 FINDING' }, { v: 'x\n', type: 'y' })
    const { stdout } = await run([server.url, '--key', log.key, '--once'])
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^\d{4}-\d\d-\d\dT/)
  })
})

describe('the state file', () => {
  test('behavior: only its owner may read it, and no drafts are left', async () => {
    const { server, log } = await startMonitoredLog()
    const directory = await newDirectory()
    await run([server.url, '--key', log.key, '--once', '--state', join(directory, 'state.json')])
    expect(await readdir(directory)).toEqual(['state.json'])
    expect((await stat(join(directory, 'state.json'))).mode & 0o777).toBe(0o600)
  })

  test('error: of another log or key', async () => {
    const { server, log } = await startMonitoredLog()
    const state = join(await newDirectory(), 'state.json')
    await run([server.url, '--key', log.key, '--once', '--state', state])
    const before = await readFile(state, 'utf8')
    const other = createPublicLog()
    const { exitCode, stderr } = await run([server.url, '--key', other.key, '--once', '--state', state])
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(`with the key ${log.key}, not of ${other.key}`)])
    expect(await readFile(state, 'utf8')).toBe(before)
  })

  test.each([
    ['cut off', (text: string) => text.slice(0, -20)],
    ['empty', () => ''],
    ['of a newer version', (text: string) => text.replace('"version":1', '"version":2')],
    ['with another root', (text: string) => text.replace(/"root":"../, '"root":"AA')],
    ['with another edge', (text: string) => text.replace(/"edge":\["../, '"edge":["AA')],
    ['with more checked than there is', (text: string) => text.replace('"checked":2', '"checked":3')],
  ])('error: %s', async (_, damage) => {
    const { server, log } = await startMonitoredLog()
    const state = join(await newDirectory(), 'state.json')
    await run([server.url, '--key', log.key, '--once', '--state', state])
    const text = await readFile(state, 'utf8')
    expect(damage(text)).not.toBe(text)
    await writeFile(state, damage(text))
    const { exitCode, stderr } = await run([server.url, '--key', log.key, '--once', '--state', state])
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('is damaged or of a newer version')])
  })

  test('error: one that cannot be written is found at the start', async () => {
    const { server, log } = await startMonitoredLog()
    const path = join(await newDirectory(), 'missing', 'state.json')
    const { exitCode, stderr } = await run([server.url, '--key', log.key, '--once', '--state', path])
    expect([exitCode, stderr]).toEqual([3, `The state file ${path} cannot be written (ENOENT).\n`])
    expect(server.requests).toEqual([])
    await chmod(join(path, '..', '..'), 0o700)
  })
})

describe('error: wrong usage exits with 2', () => {
  const key = createPublicLog().key
  test.each([
    ['no key', ['https://notes.example'], '--key'],
    ['a wrong key', ['https://notes.example', '--key', 'notes.example/log+00000000+AAAA'], 'Give the key as'],
    ['no URL', ['notes.example', '--key', key], 'give the http or https URL'],
    ['credentials in the URL', ['https://u:hunter2@notes.example', '--key', key], 'without a user name or password'],
    [
      'an RPC without a chain',
      ['https://n.example', '--key', key, '--rpc', 'https://rpc.example/s3cr3t'],
      '<chain id>=<url>',
    ],
    ['an RPC that is no URL', ['https://n.example', '--key', key, '--rpc', '324=s3cr3t'], '--rpc of chain 324 must be'],
    ['an RPC in no variable', ['https://n.example', '--key', key, '--rpc', '324=env:NOWHERE'], 'NOWHERE is not set'],
    [
      'a pool that is no address',
      ['https://n.example', '--key', key, '--rpc', '324=https://r.example', '--pool', '324=0x12'],
      '--pool as <chain id>=<address>',
    ],
    [
      'a pool of a chain without an RPC',
      ['https://n.example', '--key', key, '--pool', `324=0x${'1'.repeat(40)}`],
      'needs an --rpc of that chain',
    ],
    ['an interval of 0', ['https://n.example', '--key', key, '--interval', '0'], 'from 1 to 3600'],
    ['no port of metrics', ['https://n.example', '--key', key, '--metrics', '127.0.0.1'], 'such as 127.0.0.1:9465'],
  ])('%s', async (_, commandLine, message) => {
    const { exitCode, stderr, stdout } = await run([...commandLine, '--once'])
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/s3cr3t|hunter2/)
  })
})
