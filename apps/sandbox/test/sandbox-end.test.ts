// @module-tag slow

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Credentials, readCredentials } from '../../../test/set-up/start-sandbox.ts'
import { processesOf, readChain } from './devnet-client.ts'
import { expectHistory } from './expect-history.ts'
import { useSandboxes } from './use-sandboxes.ts'

const { newDirectory, launch, start } = useSandboxes()

test('behavior: however it ends, no process is left, and half of a history is not resumed', async () => {
  const dir = await newDirectory()
  const first = launch('--dir', dir, '--positions', '5000')
  await first.saw(/\d %$/m)
  await first.end('SIGINT')
  expect(first.output()).not.toContain('ready')
  expect(processesOf(dir)).toEqual([])

  const second = await start('--dir', dir, '--positions', '3')
  expect(second.output()).toContain('its chain is incomplete: creating a new history')
  await expectHistory(readCredentials(dir), { positions: 3 })
  const before = await readChainUpTo(readCredentials(dir))
  await second.end('SIGKILL')
  await expect.poll(() => processesOf(dir)).toEqual([])

  const third = await start('--dir', dir)
  expect(third.output()).not.toContain('new history')
  expect(await readChainUpTo(readCredentials(dir), before.head.number)).toEqual(before)
  const [node] = processesOf(journalOf(dir))
  expect(node!.command).toContain('--chain-id 324')
  process.kill(node!.pid, 'SIGKILL')
  await third.saw(/The chain exited unexpectedly/)
  await expect.poll(() => processesOf(dir)).toEqual([])
})

test('behavior: ten thousand positions in under two minutes', async ({ skip }) => {
  skip(!process.env['TALLYSTICK_LONG_TESTS'], 'takes a minute of both cores; TALLYSTICK_LONG_TESTS=1 runs it')
  const dir = await newDirectory()
  const startedAt = Date.now()
  const sandbox = await start('--dir', dir, '--positions', '10000')
  console.log(`ten thousand positions: ready after ${sandbox.readyAt - startedAt} ms`)
  expect(sandbox.readyAt - startedAt).toBeLessThan(120_000)
  await expectHistory(readCredentials(dir), { positions: 10_000 })
  await sandbox.stop()
})

function journalOf(dir: string): string {
  return join(dir, 'chains', '324', 'journal.jsonl')
}

/** Reads a block, the newest one by default, and every log up to it. */
async function readChainUpTo(credentials: Credentials, blockNumber?: bigint) {
  const client = readChain(credentials)
  const head = await client.getBlock(blockNumber === undefined ? {} : { blockNumber })
  return { head, logs: await client.getLogs({ fromBlock: 0n, toBlock: head.number }) }
}
