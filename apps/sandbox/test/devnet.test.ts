import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dollarTokenAbi, poolAbi } from '@tallystick/contracts'
import { maturityOf, periodAt } from '@tallystick/core'
import { parseAbiItem, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { dollars } from './chain.ts'
import { getNotes, lendFrom, processesOf, readChain, readPoolEvents } from './devnet-client.ts'
import { type Credentials, launchSandbox, newDirectory, readCredentials, startSandbox } from './start-sandbox.ts'

// The promise is ten seconds on two cores, which here are shared with other tests.
const quickMs = 40_000
const tenors = [7, 14, 30, 60, 90, 180, 360]

test('default: sixty days of history, notes the pool takes, and all of it there the next time, unless it is damaged', {
  timeout: 240_000,
}, async () => {
  const dir = await newDirectory()
  const first = await startSandbox('--dir', dir)
  const credentials = readCredentials(dir)
  const [chain] = credentials.chains
  expect(chain).toMatchObject({ id: 324, subgraphUrl: `${credentials.baseUrl}/subgraphs/324` })
  await expectHistory(credentials, { positions: 40 })
  await expectWallets(credentials)

  const { notes } = await getNotes(credentials)
  expect(notes).toHaveLength(7)
  const sentAt = performance.now()
  const receipt = await lendFrom(credentials, { wallet: 0, note: notes[2]! })
  // Two transactions, one after the other; each is in the next block, a second on, give or take a busy machine.
  expect(performance.now() - sentAt).toBeLessThan(10_000)
  expect(receipt.status).toBe('success')
  await first.stop()
  expect(processesOf(dir)).toEqual([])

  const startedAt = Date.now()
  const second = await startSandbox('--dir', dir, '--positions', '12')
  expect(second.readyAt - startedAt).toBeLessThan(quickMs)
  expect(second.output()).toContain('--positions is ignored: this history began with 40')
  expect(second.output()).not.toContain('new history')
  const again = readCredentials(dir)
  const { rpcUrl: _, subgraphUrl: __, ...same } = chain
  expect(again.chains[0]).toMatchObject(same)
  expect([again.apiKey, again.wallets]).toEqual([credentials.apiKey, credentials.wallets])
  const lent = (await readPoolEvents(again)).filter(({ eventName }) => eventName === 'Lend')
  expect(lent.at(-1)).toMatchObject({ args: { tokenId: 41n }, transactionHash: receipt.transactionHash })
  expect(lent).toHaveLength(41)
  await second.stop()

  const journal = journalOf(dir)
  writeFileSync(journal, readFileSync(journal).subarray(0, 50_000))
  const third = await startSandbox('--dir', dir, '--positions', '7')
  expect(third.output()).toContain('the state of its chain is damaged: beginning a new history')
  const anew = readCredentials(dir)
  await expectHistory(anew, { positions: 7 })
  const kept = ({ apiKey, caCert, chains: [{ signer }] }: Credentials) => ({ apiKey, caCert, signer })
  expect(kept(anew)).toEqual(kept(credentials))
  expect((await getNotes(anew)).notes).toHaveLength(7)
  await third.stop()
  expect(processesOf(dir)).toEqual([])
})

test('behavior: with --at, in the past and in the future, chain and service have one time', {
  timeout: 240_000,
}, async () => {
  const dir = await newDirectory()
  const at = '2026-03-08T17:59:56-04:00'
  const past = await startSandbox('--dir', dir, '--at', at)
  const credentials = readCredentials(dir)
  await expectHistory(credentials, { positions: 40 })
  await expectInStep(credentials, BigInt(Date.parse(at) / 1000))
  const boundary = BigInt(Date.parse(at) / 1000) + 4n
  await expect.poll(async () => (await getNotes(credentials)).dateSeconds > boundary, { timeout: 40_000 }).toBe(true)
  const { notes } = await getNotes(credentials)
  expect(notes[0]!.validAfter).toBe(boundary - 1n)
  expect(await lendFrom(credentials, { wallet: 1, note: notes[0]! })).toMatchObject({ status: 'success' })
  await past.stop()

  const yearsLater = '2031-05-01T00:00:00.700Z'
  const future = await startSandbox('--dir', dir, '--at', yearsLater)
  expect(future.output()).not.toContain('new history')
  const later = readCredentials(dir)
  await expectInStep(later, BigInt(Math.floor(Date.parse(yearsLater) / 1000)))
  await expectSynced(later)
  const [note] = (await getNotes(later)).notes
  expect(await lendFrom(later, { wallet: 2, note: note! })).toMatchObject({ status: 'success' })
  await future.stop()
})

test('behavior: however it ends, no process is left, and half of a history is not gone on with', {
  timeout: 240_000,
}, async () => {
  const dir = await newDirectory()
  const launch = launchSandbox('--dir', dir, '--positions', '5000')
  await launch.saw(/\d %$/m)
  await launch.end('SIGINT')
  expect(launch.output()).not.toContain('ready')
  expect(processesOf(dir)).toEqual([])

  const second = await startSandbox('--dir', dir, '--positions', '3')
  expect(second.output()).toContain('its chain was never finished: beginning a new history')
  await expectHistory(readCredentials(dir), { positions: 3 })
  const before = await readChainUpTo(readCredentials(dir))
  await second.end('SIGKILL')
  await expect.poll(() => processesOf(dir), { timeout: 40_000 }).toEqual([])

  const third = await startSandbox('--dir', dir)
  expect(third.output()).not.toContain('new history')
  expect(await readChainUpTo(readCredentials(dir), before.head.number)).toEqual(before)
  const [node] = processesOf(journalOf(dir))
  expect(node!.command).toContain('--chain-id 324')
  process.kill(node!.pid, 'SIGKILL')
  await third.saw(/The chain ended by itself/)
  await expect.poll(() => processesOf(dir), { timeout: 40_000 }).toEqual([])
})

test('behavior: ten thousand positions in under two minutes', { timeout: 300_000 }, async ({ skip }) => {
  skip(!process.env['TALLYSTICK_LONG_TESTS'], 'takes a minute of both cores; TALLYSTICK_LONG_TESTS=1 runs it')
  const dir = await newDirectory()
  const startedAt = Date.now()
  const sandbox = await startSandbox('--dir', dir, '--positions', '10000')
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

/** The history as the chain tells it. */
async function expectHistory(credentials: Credentials, { positions }: { positions: number }): Promise<void> {
  const events = await readPoolEvents(credentials)
  const client = readChain(credentials)
  const numbers = [...new Set(events.map(({ blockNumber }) => blockNumber))]
  const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })))
  const times = new Map(blocks.map(({ number, timestamp }) => [number, timestamp]))
  const count = (name: string) => events.filter(({ eventName }) => eventName === name).length
  expect([count('Lend'), count('PartnerCreated'), count('Paused'), count('Unpaused')]).toEqual([positions, 3, 1, 1])
  expect([count('UpdateDailyFloatingIncome'), count('UpdatePreviousFloatingIncome')]).toEqual([56, 2])
  for (const event of events) {
    if (event.eventName !== 'Lend') continue
    const { noteDay } = periodAt(times.get(event.blockNumber)!)
    const maturities = tenors.map((tenorDays) => maturityOf({ noteDay, tenorDays }))
    expect(maturities).toContain(event.args.maturityTimestamp)
  }
  if (positions >= 40) {
    expect(count('Claim')).toBeGreaterThan(0)
    const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)')
    const moves = await client.getLogs({ address: credentials.chains[0].positions, event: transfer, fromBlock: 0n })
    expect(moves.filter(({ args }) => args.from !== zeroAddress && args.to !== zeroAddress).length).toBeGreaterThan(0)
  }
  await expectSynced(credentials)
}

/** Every one of the last sixty days has its income. */
async function expectSynced(credentials: Credentials): Promise<void> {
  const client = readChain(credentials)
  const contract = { address: credentials.chains[0].pool, abi: poolAbi } as const
  expect(await client.readContract({ ...contract, functionName: 'isFloatingIncomeSynced' })).toBe(true)
  const { timestamp } = await client.getBlock()
  const days = Array.from({ length: 61 }, (_, index) => timestamp / 86_400n - 61n + BigInt(index))
  const sums = await Promise.all(
    days.map((day) => client.readContract({ ...contract, functionName: 'accFloatingIncome', args: [day] })),
  )
  for (const [index, sum] of sums.entries()) {
    if (index === 0) continue
    const income = sum - sums[index - 1]!
    expect(income > 36_000_000_000_000_000n && income < 45_000_000_000_000_000n).toBe(true)
  }
}

async function expectWallets(credentials: Credentials): Promise<void> {
  const client = readChain(credentials)
  const [{ token }] = credentials.chains
  expect(credentials.wallets.length).toBeGreaterThan(3)
  for (const { address } of credentials.wallets) {
    expect(await client.getBalance({ address })).toBeGreaterThan(10n ** 18n)
    const call = { address: token, abi: dollarTokenAbi, functionName: 'balanceOf', args: [address] } as const
    expect(await client.readContract(call)).toBeGreaterThanOrEqual(dollars(1_000_000))
  }
}

/** Four blocks, each of the service's second, from an instant on. A call makes a block if the newest one is older. */
async function expectInStep(credentials: Credentials, fromSeconds: bigint): Promise<void> {
  const client = readChain(credentials)
  const first = (await client.getBlock()).number
  let seen = first
  while (seen < first + 4n) {
    const askedAt = performance.now()
    await client.readContract({ address: credentials.chains[0].pool, abi: poolAbi, functionName: 'paused' })
    const [block, { dateSeconds }] = [await client.getBlock(), await getNotes(credentials)]
    const tookSeconds = Math.ceil((performance.now() - askedAt) / 1000)
    expect(block.timestamp).toBeGreaterThanOrEqual(fromSeconds)
    // The service was asked after the chain, and the next block may be due, or a little late.
    expect(Number(dateSeconds - block.timestamp)).toBeGreaterThanOrEqual(0)
    expect(Number(dateSeconds - block.timestamp)).toBeLessThanOrEqual(2 + tookSeconds)
    seen = block.number
  }
}
