import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeNote, notesResponseSchema, verifyNote } from '@tallystick/core'
import type { TransactionReceipt } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { type Credentials, readCredentials, root } from '../../../test/set-up/start-sandbox.ts'
import { getNotes, lendFrom, processesOf, readPoolEvents } from './devnet-client.ts'
import { expectData } from './expect-data.ts'
import { expectHistory, expectWallets } from './expect-history.ts'
import { type Sandbox, useSandboxes } from './use-sandboxes.ts'

// One directory for all tests, which run in this order: a start takes seconds. The slow ones leave a running sandbox too.

// The promise is 10 s on two cores. Other tests use them at the same time.
const quickMs = 120_000

const { newDirectory, startWithNpm, launch } = useSandboxes()
let dir: string
let sandbox: Sandbox
/** Credentials of the first start. */
let first: Credentials
let receipt: TransactionReceipt

beforeAll(async () => {
  dir = await newDirectory()
  sandbox = await startWithNpm('--dir', dir)
  first = readCredentials(dir)
})

test('default: prints a curl line that works and leaves credentials', async () => {
  const line = /^ {2}(curl .*)$/m.exec(sandbox.output())?.[1] as string
  const printed = execFileSync('sh', ['-c', `${line} --silent`], { encoding: 'utf8' })
  const { data } = notesResponseSchema.parse(JSON.parse(printed))
  const [chain] = first.chains
  expect(sandbox.output()).toContain(`ready ${first.baseUrl}\n`)
  expect(first.baseUrl).toMatch(/^https:\/\/localhost:\d+$/)
  expect(existsSync(first.caCert)).toBe(true)
  const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: chain.pool }
  for (const wire of data) {
    expect(await verifyNote(decodeNote(wire), { domain, signer: chain.signer })).toMatchObject({ valid: true })
  }
  expect(data).toHaveLength(7)
})

test('error: a second sandbox in the same directory is refused and changes nothing', async () => {
  const second = launch('--dir', dir)
  await expect(second.saw(/^ready/m)).rejects.toThrow(/^ended with 1: .*is in use by process/s)
  expect(readCredentials(dir)).toEqual(first)
})

test('default: 60 days of history, and wallets with money', async () => {
  expect(first.chains[0]).toMatchObject({ id: 324, subgraphUrl: `${first.baseUrl}/subgraphs/324` })
  await expectHistory(first, { positions: 40 })
  await expectWallets(first)
})

test('default: the example of the specification, embedded and through a second service, and no block is ever hidden', {
  tags: 'slow',
}, async () => {
  await expectData(first)
})

test('default: the pool accepts the notes', async () => {
  const { notes } = await getNotes(first)
  expect(notes).toHaveLength(7)
  const sentAt = performance.now()
  receipt = await lendFrom(first, { wallet: 0, note: notes[2]! })
  // Two transactions, one after the other. Each is in the next block, one second later on an idle machine.
  expect(performance.now() - sentAt).toBeLessThan(60_000)
  expect(receipt.status).toBe('success')
})

test('behavior: Ctrl-C leaves no process, and the next start resumes', { tags: 'slow' }, async () => {
  await sandbox.stop()
  expect(() => process.kill(-(sandbox.child.pid as number), 0)).toThrow('ESRCH')
  expect(processesOf(dir)).toEqual([])

  const startedAt = Date.now()
  sandbox = await startWithNpm('--dir', dir, '--positions', '12')
  expect(sandbox.readyAt - startedAt).toBeLessThan(quickMs)
  expect(sandbox.output()).toContain('--positions is ignored: this history was created with 40')
  expect(sandbox.output()).not.toContain('new history')
  const again = readCredentials(dir)
  const { rpcUrl: _, subgraphUrl: __, ...same } = first.chains[0]
  expect(again.chains[0]).toMatchObject(same)
  expect([again.apiKey, again.caCert, again.wallets]).toEqual([first.apiKey, first.caCert, first.wallets])
  const lent = (await readPoolEvents(again)).filter(({ eventName }) => eventName === 'Lend')
  expect(lent.at(-1)).toMatchObject({ args: { tokenId: 41n }, transactionHash: receipt.transactionHash })
  expect(lent).toHaveLength(41)
})

test('behavior: SIGTERM to npm alone ends the sandbox gracefully, and no process is left', {
  tags: 'slow',
}, async () => {
  await expectGracefulEnd('SIGTERM')
})

test('behavior: a damaged chain begins a new history, with the same key and signer', { tags: 'slow' }, async () => {
  const journal = join(dir, 'chains', '324', 'journal.jsonl')
  writeFileSync(journal, readFileSync(journal).subarray(0, 50_000))
  sandbox = await startWithNpm('--dir', dir, '--positions', '7')
  expect(sandbox.output()).toContain('the state of its chain is damaged: creating a new history')
  const third = readCredentials(dir)
  await expectHistory(third, { positions: 7 })
  const kept = ({ apiKey, caCert, chains: [{ signer }] }: Credentials) => ({ apiKey, caCert, signer })
  expect(kept(third)).toEqual(kept(first))
  expect((await getNotes(third)).notes).toHaveLength(7)
})

test('default: the tour runs as the README prints it, and the predicted income is paid', async () => {
  const tour = spawn('npm', ['run', '--silent', 'tour', '--', '--dir', dir], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: string[] = []
  for (const stream of [tour.stdout, tour.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)))
  const [code] = await once(tour, 'close')
  const output = chunks.join('')
  expect([code, output]).toEqual([0, expect.stringContaining('Equal to all 18 decimals.')])
  const [, predicted, paid] = /predicted (\d+)\n *paid +(\d+)\n/.exec(output) ?? []
  expect(BigInt(predicted ?? 0)).toBeGreaterThan(0n)
  expect(paid).toBe(predicted)
  expect(sandbox.output()).toMatch(/chain time moved to \S+; the service follows/)
})

test('behavior: SIGINT to npm alone ends the sandbox gracefully, and no process is left', async () => {
  await expectGracefulEnd('SIGINT')
})

async function expectGracefulEnd(signal: NodeJS.Signals): Promise<void> {
  const { child, output } = sandbox
  expect(processesOf(dir).length).toBeGreaterThan(1)
  // Emitted when the last process with the output of npm has ended.
  const closed = once(child, 'close')
  child.kill(signal)
  expect(await closed).toEqual([0, null])
  expect(output()).toContain(`${signal}: shutting down gracefully`)
  expect(processesOf(dir)).toEqual([])
}
