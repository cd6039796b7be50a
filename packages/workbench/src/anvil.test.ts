import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAnvil } from './anvil.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tallystick-anvil-test-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test('default: answers as the chain asked for, begins at its time, and is gone after stop', async () => {
  const anvil = await startAnvil({ chainId: 324, timestamp: 1737522000n })
  expect(await call(anvil.url, 'eth_chainId')).toBe('0x144')
  expect(await call(anvil.url, 'eth_getBlockByNumber', ['0x0', false])).toMatchObject({
    timestamp: `0x${(1737522000).toString(16)}`,
  })
  await anvil.stop()
  await anvil.exited
  expect(isRunning(anvil.pid)).toBe(false)
  await expect(call(anvil.url, 'eth_chainId')).rejects.toThrow('fetch failed')
})

test('behavior: a chain goes on where it stopped', async () => {
  const options = { chainId: 324, statePath: join(directory, 'resumed.json') }
  const first = await startAnvil(options)
  await call(first.url, 'anvil_mine', ['0x7'])
  const head = (await call(first.url, 'eth_getBlockByNumber', ['latest', false])) as { hash: string }
  await first.stop()
  const second = await startAnvil(options)
  expect(await call(second.url, 'eth_getBlockByNumber', ['latest', false])).toMatchObject({ hash: head.hash })
  await second.stop()
})

test('error: a port in use is said', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await expect(startAnvil({ chainId: 324, port })).rejects.toThrow(/anvil ended with code 1:\n.*in use/)
  server.close()
})

test('error: a node that is too slow is ended, not left behind', async () => {
  await expect(startAnvil({ chainId: 324, startTimeoutMs: 0 })).rejects.toThrow('anvil did not listen within 0 ms')
})

test.runIf(process.platform === 'linux')(
  'behavior: a parent killed with SIGKILL takes the node with it, state written',
  async () => {
    const statePath = join(directory, 'orphan.json')
    const script = `
      import { startAnvil } from '${new URL('./anvil.ts', import.meta.url)}'
      const anvil = await startAnvil({ chainId: 324, statePath: process.argv[1] })
      await fetch(anvil.url, { method: 'POST', headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: ['0x5'] }) })
      process.stdout.write(anvil.pid + ' ' + anvil.url)
    `
    const parent = spawn(
      process.execPath,
      ['--conditions=src', '--import', 'tsx', '--input-type=module', '-e', script, statePath],
      { stdio: ['ignore', 'pipe', 'inherit'], cwd: fileURLToPath(new URL('../', import.meta.url)) },
    )
    const [[said]] = await Promise.all([once(parent.stdout, 'data')])
    const [pid, url] = String(said).split(' ') as [string, string]
    expect(isRunning(Number(pid))).toBe(true)
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    await expect.poll(() => isRunning(Number(pid))).toBe(false)
    await expect(call(url, 'eth_chainId')).rejects.toThrow('fetch failed')
    const resumed = await startAnvil({ chainId: 324, statePath })
    expect(await call(resumed.url, 'eth_blockNumber')).toBe('0x5')
    await resumed.stop()
  },
)

async function call(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { result: unknown }).result
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
