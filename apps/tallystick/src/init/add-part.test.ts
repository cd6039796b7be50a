import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createLogKeyText } from '@tallystick/public-log'
import { loadConfig } from '@tallystick/service'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { runCommandLine } from '../commands/run-command-line.ts'
import type { Terminal } from '../commands/terminal/terminal.ts'

const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
const env = { TOKEN: 'a'.repeat(32), SIGNER: `0x${'01'.repeat(32)}`, RPC_324: 'https://rpc.example/v2/key' }
const base = ['--signer', 'env:SIGNER', '--admin-token', 'env:TOKEN', '--chain', '324', '--pool', pool]
const second = ['--add', 'chain', '--chain', '8453', '--pool', pool]

let directory: string
let configPath: string
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tallystick-add-'))
  configPath = join(directory, 'tallystick.json')
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  await run(['--yes', ...base, '--rpc', 'env:RPC_324'])
})

/** Runs `init` with the lines of its input. */
async function run(options: readonly string[], answers = '') {
  const chunks = { stdout: [] as string[], stderr: [] as string[] }
  const streamOf = (name: 'stdout' | 'stderr') =>
    Object.assign(
      new PassThrough().on('data', (chunk) => chunks[name].push(String(chunk))),
      { isTTY: false, columns: 80 },
    )
  const stdin = Object.assign(new PassThrough(), { isTTY: false })
  stdin.end(answers)
  const terminal: Terminal = { env, stdin, stdout: streamOf('stdout'), stderr: streamOf('stderr') }
  await runCommandLine(['init', '--no-probe', '--config', configPath, ...options], terminal)
  return { exitCode: terminal.exitCode ?? 0, stdout: chunks.stdout.join(''), stderr: chunks.stderr.join('') }
}

const text = () => readFileSync(configPath, 'utf8')
const written = () => JSON.parse(text())
const files = () => readdirSync(directory, { recursive: true }).map(String).toSorted()

describe('a chain', () => {
  test('default: is added with the secrets of its URLs, and nothing else changes', async () => {
    const before = written()
    chmodSync(configPath, 0o640)
    const rpc = 'https://base.example/v2/provider-key'
    const { exitCode, stdout, stderr } = await run([...second, '--yes', '--rpc', rpc])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Added the chain to')
    const chain = { id: 8453, name: 'Base', pool, rpc: ['file:secrets/rpc-8453'] }
    expect(written()).toEqual({ ...before, chains: [...before.chains, chain] })
    expect(loadConfig(configPath, { env, secrets: 'required' }).chains.map(({ rpc: urls }) => urls)).toEqual([
      [env.RPC_324],
      [rpc],
    ])
    expect((statSync(configPath).mode & 0o777).toString(8)).toBe('640')
    expect(files()).toEqual(['secrets', 'secrets/rpc-8453', 'tallystick.json', 'tallystick.schema.json'])
  })

  test('behavior: text of any form is kept as it was written', async () => {
    const own = { ...written(), tenors: [7, 30], hooks: undefined }
    const chain = JSON.stringify(own.chains[0]).replace('zkSync Era', 'a \\"chains\\": [ { ]')
    const odd = JSON.stringify({ ...own, chains: [] }).replace('"chains":[]', `\n\t"chains" :[${chain} ]\n`)
    writeFileSync(configPath, odd)
    const end = odd.indexOf(' ]\n')
    expect((await run([...second, '--yes'])).exitCode).toBe(0)
    expect([text().startsWith(odd.slice(0, end)), text().endsWith(odd.slice(end + 1))]).toEqual([true, true])
    expect(written().chains.map(({ id }: { id: number }) => id)).toEqual([324, 8453])
    expect(written()).toMatchObject({
      tenors: [7, 30],
      signer: { key: 'env:SIGNER' },
      chains: [{ rpc: ['env:RPC_324'] }, {}],
    })
  })

  test('behavior: asks for the chain alone, and again if the configuration has it', async () => {
    const { exitCode, stdout } = await run(['--add', 'chain'], ['324', '8453', '', pool, '', '', ''].join('\n'))
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('The answer is in the configuration already.')])
    expect(stdout).not.toContain('ertificate')
    expect(written().chains[1]).toEqual({ id: 8453, name: 'Base', pool })
  })

  test.each([
    [
      'that is there',
      ['--add', 'chain', '--chain', '324', '--pool', pool],
      2,
      '--chain is in the configuration already',
    ],
    ['with an option of another part', [...second, '--port', '1'], 2, '--port has no effect'],
    ['with an option of the log', [...second, '--log', 'n.example/log'], 2, '--log has no effect'],
    ['without a pool', ['--add', 'chain', '--chain', '8453'], 2, '--pool: needed'],
    ['with a part that is none', ['--add', 'pool'], 2, 'Give "chain" or "log".'],
    ['with a name that the loader refuses', [...second, '--rpc', 'file:nowhere'], 3, 'Nothing was written'],
  ])('error: %s leaves everything as it was', async (_, options, exitCode, message) => {
    const before = text()
    const result = await run([...options, '--yes'])
    expect([result.exitCode, result.stderr]).toEqual([exitCode, expect.stringContaining(message)])
    expect([text(), files()]).toEqual([before, ['tallystick.json', 'tallystick.schema.json']])
  })

  test('error: a secret that exists, a link, a member that is there twice, and no configuration', async () => {
    const before = text()
    mkdirSync(join(directory, 'secrets'))
    writeFileSync(join(directory, 'secrets', 'rpc-8453'), 'mine')
    const taken = await run([...second, '--yes', '--rpc', 'https://base.example/v2/key'])
    expect([taken.exitCode, text()]).toEqual([3, before])
    expect(readFileSync(join(directory, 'secrets', 'rpc-8453'), 'utf8')).toBe('mine')
    writeFileSync(configPath, before.replace('"chains"', '"chains": [], "chains"'))
    expect((await run([...second, '--yes'])).stderr).toContain('has a member twice')
    rmSync(configPath)
    expect((await run([...second, '--yes'])).stderr).toContain('does not exist')
    writeFileSync(join(directory, 'real.json'), before)
    symlinkSync('real.json', configPath)
    expect((await run([...second, '--yes'])).stderr).toContain('is a link')
    expect(readFileSync(join(directory, 'real.json'), 'utf8')).toBe(before)
  })
})

describe('the log', () => {
  test('default: is added with a new key, once', async () => {
    const before = written()
    const { exitCode, stdout } = await run(['--add', 'log', '--yes', '--json', '--log', 'notes.example/log'])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout).verifierKey).toMatch(/^notes\.example\/log\+[0-9a-f]{8}\+/)
    expect(stdout).not.toContain('PRIVATE')
    expect(written()).toEqual({ ...before, log: { origin: 'notes.example/log', key: 'file:secrets/log-key' } })
    expect(loadConfig(configPath, { env, secrets: 'required' }).log?.origin).toBe('notes.example/log')
    const kept = text()
    const again = await run(['--add', 'log', '--yes', '--log', 'other.example/log'])
    expect([again.exitCode, again.stderr]).toEqual([
      3,
      expect.stringContaining('the public log notes.example/log already'),
    ])
    expect(text()).toBe(kept)
    expect((await run([...second, '--yes'])).exitCode).toBe(0)
    expect(written()).toMatchObject({ chains: [{ id: 324 }, { id: 8453 }], log: { origin: 'notes.example/log' } })
  })

  test('behavior: asks for it, and takes a key that exists', async () => {
    writeFileSync(join(directory, 'log.key'), createLogKeyText('notes.example/log'))
    const key = `file:${join(directory, 'log.key')}`
    const { exitCode, stdout } = await run(['--add', 'log'], ['', 'a b', 'notes.example/log', key, ''].join('\n'))
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('The answer is needed.')])
    expect(written().log).toEqual({ origin: 'notes.example/log', key: 'file:log.key' })
  })

  test('error: a key of another log changes nothing', async () => {
    const before = text()
    writeFileSync(join(directory, 'log.key'), createLogKeyText('other.example/log'))
    const key = ['--log-key', `file:${join(directory, 'log.key')}`]
    const { exitCode, stderr } = await run(['--add', 'log', '--yes', '--log', 'notes.example/log', ...key])
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('is the key of the log other.example/log')])
    expect(text()).toBe(before)
  })

  test('behavior: a new configuration can have it from the start', async () => {
    configPath = join(directory, 'new.json')
    const { stdout } = await run(['--yes', ...base, '--log', 'notes.example/log'])
    expect(stdout).toContain('The key of the log is notes.example/log+')
    expect(written().log).toEqual({ origin: 'notes.example/log', key: 'file:secrets/log-key' })
  })
})
