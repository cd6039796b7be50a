import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { JournalError } from '../src/dev-chain/journal.ts'
import { type DevChainOptions, startDevChain } from '../src/dev-chain/start-dev-chain.ts'

const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tallystick-dev-chain-test-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test('default: answers as the chain asked for, begins at its time, and is gone after stop', async () => {
  const chain = await startDevChain({ chainId: 324, timestamp: 1737522000n })
  expect(await call(chain.url, 'eth_chainId')).toBe('0x144')
  expect(await call(chain.url, 'eth_getBlockByNumber', ['0x0', false])).toMatchObject({ timestamp: toHex(1737522000) })
  await chain.stop()
  await chain.exited
  expect(isRunning(chain.pid)).toBe(false)
  await expect(call(chain.url, 'eth_chainId')).rejects.toThrow('fetch failed')
})

test('behavior: a chain resumes with the same head, logs and waiting transactions', async () => {
  const options = { chainId: 324, timestamp: 1737522000n, journalPath: join(directory, 'resumed.jsonl') }
  const first = await start(options)
  await makeHistory(first.url)
  const before = await describeChain(first.url)
  expect(before.logs).toHaveLength(2)
  expect(before.waiting).toBe(1)
  await first.stop()
  const second = await start(options)
  expect(await describeChain(second.url)).toEqual(before)
  await call(second.url, 'evm_mine')
  expect(await call(second.url, 'eth_getTransactionCount', [sender, 'latest'])).toBe('0x3')
})

test('behavior: what a revert undid stays undone after a resume', async () => {
  const options = { chainId: 324, timestamp: 1737522000n, journalPath: join(directory, 'reverted.jsonl') }
  const first = await start(options)
  await call(first.url, 'hardhat_mine', ['0x3'])
  const snapshot = await call(first.url, 'evm_snapshot')
  await makeHistory(first.url)
  expect(await call(first.url, 'evm_revert', [snapshot])).toBe(true)
  await call(first.url, 'evm_mine', [1737522900])
  const before = await describeChain(first.url)
  expect(before).toMatchObject({ head: { number: '0x4', timestamp: toHex(1737522900) }, logs: [], waiting: 0 })
  await first.stop()
  const second = await start(options)
  expect(await describeChain(second.url)).toEqual(before)
  expect(await call(second.url, 'evm_revert', [snapshot])).toBe(false)
})

test('behavior: a line that was cut off is left out, and the chain goes on from the one before it', async () => {
  const options = { chainId: 324, timestamp: 1737522000n, journalPath: join(directory, 'cut.jsonl') }
  const first = await start(options)
  await call(first.url, 'hardhat_mine', ['0x5'])
  await first.stop()
  await truncate(options.journalPath, (await stat(options.journalPath)).size - 4)
  const second = await start(options)
  expect(await call(second.url, 'eth_blockNumber')).toBe('0x4')
  await call(second.url, 'evm_mine', [1737522900])
  await second.stop()
  const third = await start(options)
  expect(await describeChain(third.url)).toMatchObject({ head: { number: '0x5', timestamp: toHex(1737522900) } })
})

test('error: a journal that is damaged, empty or of another chain is refused and stays as it is', {
  tags: 'slow',
}, async () => {
  const journalPath = join(directory, 'refused.jsonl')
  const first = await start({ chainId: 324, journalPath })
  await call(first.url, 'hardhat_mine', ['0x2'])
  await first.stop()
  const whole = await readFile(journalPath, 'utf8')
  const [header, ...lines] = whole.trimEnd().split('\n')
  const refusals = [
    { chainId: 10, text: whole, message: 'belongs to another chain or engine' },
    { chainId: 324, text: '', message: 'has no header' },
    { chainId: 324, text: 'not JSON\n', message: 'is damaged at line 1' },
    { chainId: 324, text: `${header}\n{}\n`, message: 'is damaged at line 2' },
    { chainId: 324, text: `${header}\n["evm_mine",[1]]\n`, message: 'cannot be replayed from line 2' },
    {
      chainId: 324,
      text: `${header!.replace('edr/', 'other/')}\n${lines[0]}\n`,
      message: 'belongs to another chain or engine',
    },
  ]
  const refuse = async ({ chainId, text, message }: (typeof refusals)[number], index: number) => {
    const path = `${journalPath}.${index}`
    await writeFile(path, text)
    const starting = startDevChain({ chainId, journalPath: path })
    await expect(starting).rejects.toThrow(message)
    await expect(starting).rejects.toBeInstanceOf(JournalError)
    expect(await readFile(path, 'utf8')).toBe(text)
  }
  await Promise.all(refusals.map(refuse))
})

test('behavior: reports the progress of a replay', { tags: 'slow' }, async () => {
  const journalPath = join(directory, 'long.jsonl')
  const first = await start({ chainId: 324, journalPath })
  await call(first.url, 'hardhat_mine', ['0x7d0'])
  await first.stop()
  const shares: number[] = []
  await start({ chainId: 324, journalPath, onProgress: (share) => shares.push(share) })
  expect(shares).toEqual([0, 0.5])
  // A day without transactions is 8,640 blocks in the sandbox: 0.2 MB.
  expect((await stat(journalPath)).size).toBeLessThan(2_000 * 30)
})

test('error: a port in use is said', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await expect(startDevChain({ chainId: 324, port })).rejects.toThrow(/exited with code 1\. .*EADDRINUSE/)
  server.close()
})

test('error: a chain that is too slow is ended, not left behind', async () => {
  await expect(startDevChain({ chainId: 324, startTimeoutMs: 0 })).rejects.toThrow('did not listen within 0 ms')
})

test('behavior: a parent killed with SIGKILL takes the chain with it, and nothing confirmed is lost', {
  tags: 'slow',
}, async () => {
  const journalPath = join(directory, 'orphan.jsonl')
  const script = `
    import { startDevChain } from '${new URL('../src/dev-chain/start-dev-chain.ts', import.meta.url)}'
    const chain = await startDevChain({ chainId: 324, journalPath: process.argv[1] })
    await fetch(chain.url, { method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hardhat_mine', params: ['0x5'] }) })
    process.stdout.write(chain.pid + ' ' + chain.url)
  `
  const parent = spawn(
    process.execPath,
    ['--conditions=src', '--import', 'tsx', '--input-type=module', '-e', script, journalPath],
    { stdio: ['ignore', 'pipe', 'inherit'], cwd: fileURLToPath(new URL('../../../', import.meta.url)) },
  )
  const [said] = await once(parent.stdout, 'data')
  const [pid, url] = String(said).split(' ') as [string, string]
  expect(isRunning(Number(pid))).toBe(true)
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  await expect.poll(() => isRunning(Number(pid))).toBe(false)
  await expect(call(url, 'eth_chainId')).rejects.toThrow('fetch failed')
  const resumed = await start({ chainId: 324, journalPath })
  expect(await call(resumed.url, 'eth_blockNumber')).toBe('0x5')
})

async function start(options: DevChainOptions) {
  const chain = await startDevChain(options)
  onTestFinished(() => chain.stop())
  return chain
}

/** A contract that logs, two calls of it at their times, and a transaction that is not mined. */
async function makeHistory(url: string): Promise<void> {
  // Its code: log1(topic 0xaa).
  const contract = '0x00000000000000000000000000000000000000c1'
  await call(url, 'hardhat_setCode', [contract, '0x60aa60006000a100'])
  for (const second of [1737522500, 1737522700]) {
    await call(url, 'evm_setNextBlockTimestamp', [toHex(second)])
    await call(url, 'eth_sendTransaction', [{ from: sender, to: contract }])
  }
  await call(url, 'evm_setAutomine', [false])
  await call(url, 'eth_sendTransaction', [{ from: sender, to: contract }])
}

async function describeChain(url: string) {
  return {
    head: (await call(url, 'eth_getBlockByNumber', ['latest', true])) as { number: string },
    logs: (await call(url, 'eth_getLogs', [{ fromBlock: '0x0' }])) as unknown[],
    waiting: ((await call(url, 'eth_pendingTransactions')) as unknown[]).length,
  }
}

async function call(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}

function toHex(value: number): string {
  return `0x${value.toString(16)}`
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
