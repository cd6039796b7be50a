import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import { findFreePort } from '@tallystick/workbench/free-port'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { runCommandLine } from '../src/commands/run-command-line.ts'
import type { Terminal } from '../src/commands/terminal/terminal.ts'

const nowhere = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
let rpc: string
beforeAll(async () => {
  const chain = await startDevChain({ chainId: 324 })
  rpc = chain.url
  return () => chain.stop()
})

/** Runs `init` in a new directory, and reads what it wrote. */
async function init(
  options: readonly string[],
  { answers = '', env = {} }: { answers?: string; env?: Terminal['env'] },
) {
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-init-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const chunks = { stdout: [] as string[], stderr: [] as string[] }
  const streamOf = (name: 'stdout' | 'stderr') =>
    Object.assign(
      new PassThrough().on('data', (chunk) => chunks[name].push(String(chunk))),
      { columns: 80 },
    )
  const stdin = Object.assign(new PassThrough(), { isTTY: false })
  stdin.end(answers)
  const terminal: Terminal = { env, stdin, stdout: streamOf('stdout'), stderr: streamOf('stderr') }
  const configPath = join(directory, 'tallystick.json')
  await runCommandLine(['init', '--config', configPath, ...options], terminal)
  const read = () => JSON.parse(readFileSync(configPath, 'utf8'))
  return { exitCode: terminal.exitCode ?? 0, stdout: chunks.stdout.join(''), stderr: chunks.stderr.join(''), read }
}

describe('init asks the RPC', () => {
  test('default: one of another chain is refused, and asked for again', async () => {
    const chain = ['--yes', '--chain', '1', '--pool', nowhere]
    const refused = await init([...chain, '--rpc', rpc], {})
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--rpc is an RPC of chain 324, not of 1.'),
    ])
    const answers = ['', '', '', '', rpc, '', '', '', '', '', '', '', '']
    const asked = await init(['--chain', '1', '--name', 'One', '--pool', nowhere], { answers: answers.join('\n') })
    expect(asked.stdout).toContain('The answer is an RPC of chain 324, not of 1.')
    expect(asked.read().chains[0]).not.toHaveProperty('rpc')
  })

  test('behavior: a pool that is no contract is told, and the positions must be one', async () => {
    const chain = ['--yes', '--chain', '324', '--pool', nowhere, '--rpc', 'env:RPC_324']
    const env = { RPC_324: rpc }
    const told = await init(chain, { env })
    expect([told.exitCode, told.stderr]).toEqual([0, expect.stringContaining(`no contract at the pool ${nowhere}`)])
    const positions = await init([...chain, '--subgraph', 'embedded', '--positions', nowhere], { env })
    expect([positions.exitCode, positions.stderr]).toEqual([
      2,
      expect.stringContaining('--positions is no contract on this chain.'),
    ])
  })

  test('behavior: one that does not answer, or answers nonsense, is kept, and its key is never shown', async () => {
    const server = await startLocalServer((_, response) => response.end('<html>Sign in to the network</html>'))
    onTestFinished(() => server.stop())
    for (const url of [`http://127.0.0.1:${await findFreePort()}/v2/provider-key`, `${server.url}/v2/provider-key`]) {
      const { exitCode, stdout, stderr, read } = await init(
        ['--yes', '--chain', '324', '--pool', nowhere, '--rpc', url],
        {},
      )
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining('The answer is kept.')])
      expect(`${stdout}${stderr}`).not.toContain('provider-key')
      expect(read().chains[0].rpc).toEqual(['file:secrets/rpc-324'])
    }
  })
})

describe('init asks the database', () => {
  const options = ['--yes', '--chain', '324', '--pool', nowhere, '--database', 'env:DATABASE_URL']

  test('default: a server that accepts the user', { tags: ['postgres'] }, async () => {
    const { exitCode, stderr } = await init(options, { env: { DATABASE_URL: inject('databases').postgresUrl } })
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('accepts this user')])
  })

  test('error: a server that does not answer is told without its password', async () => {
    const DATABASE_URL = `postgres://tallystick:hunter2@127.0.0.1:${await findFreePort()}/notes`
    const { exitCode, stderr } = await init(options, { env: { DATABASE_URL } })
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('The answer is kept.')])
    expect(stderr).not.toContain('hunter2')
  })
})
