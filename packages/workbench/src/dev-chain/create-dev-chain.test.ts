import { expect, onTestFinished, test } from 'vitest'
import { type OpenOptions, openDevChain } from './open-dev-chain.ts'

const genesisSecond = 1_737_522_000
const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const contract = '0x00000000000000000000000000000000000000c1'
const caller = '0x00000000000000000000000000000000000000c2'
// return(block.timestamp)
const readTimestamp = '0x4260005260206000f3'

/** A chain in this process, whose system clock the test moves. */
async function openChain(options: Partial<OpenOptions> = {}) {
  const system = { ms: 1_800_000_000_500 }
  const { chain, close } = await openDevChain({
    chainId: 324,
    timestamp: genesisSecond,
    blockGasLimit: 30_000_000n,
    systemNowMs: () => system.ms,
    onProgress: () => undefined,
    ...options,
  })
  onTestFinished(close)
  const ask = async (method: string, ...params: readonly unknown[]) =>
    JSON.parse(await chain.handle(method, params)) as { result?: unknown; error?: { code: number; data: unknown } }
  const call = async (method: string, ...params: readonly unknown[]) => (await ask(method, ...params)).result
  const head = async () => {
    const { number, timestamp, transactions } = (await call('eth_getBlockByNumber', 'latest', false)) as {
      number: string
      timestamp: string
      transactions: string[]
    }
    return [Number(number), Number(timestamp) - genesisSecond, transactions.length]
  }
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      system.ms += 1_000
      await chain.tick()
    }
  }
  const send = (to = sender) => call('eth_sendTransaction', { from: sender, to })
  return { chain, ask, call, head, pass, send, system }
}

test('default: a transaction is mined immediately, at the clock’s second', async () => {
  const { send, head, system } = await openChain()
  system.ms += 7_000
  await send()
  expect(await head()).toEqual([1, 7, 1])
  await send()
  expect(await head()).toEqual([2, 7, 1])
})

test('behavior: time continues from the requested time and never decreases', async () => {
  const { call, chain, head, send, system } = await openChain()
  await call('evm_setNextBlockTimestamp', `0x${(genesisSecond + 1_000).toString(16)}`)
  await send()
  system.ms += 3_000
  await send()
  expect(await head()).toEqual([2, 1_003, 1])
  await expect(chain.handle('evm_setNextBlockTimestamp', [genesisSecond])).rejects.toMatchObject({ code: -32602 })
  await expect(chain.handle('evm_mine', [genesisSecond + 1_002])).rejects.toThrow('lower than that of the newest block')
  await call('evm_setTime', genesisSecond)
  await call('evm_mine')
  expect(await head()).toEqual([3, 1_003, 0])
  await call('evm_mine', genesisSecond + 1_003)
  expect(await head()).toEqual([4, 1_003, 0])
})

test('behavior: with an interval, blocks are mined by the clock with all pending transactions', async () => {
  const { call, head, pass, send } = await openChain()
  await call('evm_setIntervalMining', 1)
  await send()
  await send()
  expect(await head()).toEqual([0, 0, 0])
  await pass(1)
  expect(await head()).toEqual([1, 1, 2])
  await pass(3)
  expect(await head()).toEqual([4, 4, 0])
  await call('evm_setIntervalMining', 0)
  await pass(5)
  expect(await head()).toEqual([4, 4, 0])
})

test('behavior: while idle, empty blocks are rare, and a transaction or a moved clock is mined within 1 s', async () => {
  const { call, head, pass, send } = await openChain()
  await call('evm_setIntervalMining', 1, 10)
  await pass(9)
  expect(await head()).toEqual([0, 0, 0])
  await pass(1)
  expect(await head()).toEqual([1, 10, 0])
  await pass(2)
  await send()
  await pass(1)
  expect(await head()).toEqual([2, 13, 1])
  await call('evm_increaseTime', 86_400)
  await pass(1)
  expect(await head()).toEqual([3, 86_414, 0])
})

test('behavior: while idle, a call sees the time of the clock', async () => {
  const { call, pass } = await openChain()
  await call('hardhat_setCode', contract, readTimestamp)
  await call('evm_setIntervalMining', 1, 10)
  await pass(8)
  expect(Number(await call('eth_call', { to: contract }, 'latest')) - genesisSecond).toBe(8)
  expect(await call('eth_blockNumber')).toBe('0x1')
})

test('behavior: a transaction that does not fit into a block is in the next one', async () => {
  const { call, head, pass } = await openChain({ blockGasLimit: 30_000n })
  await call('evm_setIntervalMining', 1, 10)
  for (let count = 0; count < 3; count += 1) {
    await call('eth_sendTransaction', { from: sender, to: sender, gas: '0x5208' })
  }
  await pass(1)
  expect(await head()).toEqual([1, 1, 1])
  await pass(2)
  expect(await head()).toEqual([3, 3, 1])
  await pass(5)
  expect(await head()).toEqual([3, 3, 1])
})

test('behavior: a call at a later, an earlier and the same time changes nothing', async () => {
  const { call, head, pass, send } = await openChain()
  await call('hardhat_setCode', contract, readTimestamp)
  await call('evm_setIntervalMining', 1)
  await pass(100)
  await call('evm_setIntervalMining', 0)
  await send()
  const before = [await head(), await call('eth_getBlockByNumber', 'latest', false)]
  for (const seconds of [101, 100, 99, 0, 5_000_000]) {
    const time = `0x${(genesisSecond + seconds).toString(16)}`
    expect(Number(await call('eth_call', { to: contract }, 'latest', {}, { time })) - genesisSecond).toBe(seconds)
  }
  const atBlock = await call('eth_call', { to: contract }, '0x5', {}, { time: '0x7' })
  expect(Number(atBlock)).toBe(7)
  expect([await head(), await call('eth_getBlockByNumber', 'latest', false)]).toEqual(before)
  expect(await call('eth_pendingTransactions')).toHaveLength(1)
})

test('behavior: a call at another time does not see pending transactions, and its block is not visible', async () => {
  const { call } = await openChain()
  // return(selfbalance)
  await call('hardhat_setCode', contract, '0x4760005260206000f3')
  await call('evm_setAutomine', false)
  await call('eth_sendTransaction', { from: sender, to: contract, value: '0x5' })
  const time = `0x${(genesisSecond + 60).toString(16)}`
  const asked = Array.from({ length: 20 }, () => [
    call('eth_call', { to: contract }, 'latest', {}, { time }),
    call('eth_blockNumber'),
  ]).flat()
  const answers = await Promise.all(asked)
  expect(new Set(answers)).toEqual(new Set([`0x${'0'.repeat(64)}`, '0x0']))
  await call('evm_mine')
  expect(Number(await call('eth_call', { to: contract }, 'latest'))).toBe(5)
})

test('behavior: the called contract sees an earlier time, and contracts it calls also see a later one', async () => {
  const { call } = await openChain()
  await call('hardhat_setCode', contract, readTimestamp)
  // staticcall(contract), return what it returned
  await call('hardhat_setCode', caller, `0x60206000600060007300000000000000000000000000000000000000c15afa60206000f3`)
  await call('evm_mine', genesisSecond + 100)
  const at = async (seconds: number) => {
    const time = `0x${(genesisSecond + seconds).toString(16)}`
    return Number(await call('eth_call', { to: caller }, 'latest', {}, { time })) - genesisSecond
  }
  expect(await at(200)).toBe(200)
  expect(await at(50)).toBe(100)
})

test('error: only the time of a block can be overridden', async () => {
  const { chain } = await openChain()
  const call = (...params: readonly unknown[]) => chain.handle('eth_call', params)
  await expect(call({ to: contract }, 'latest', {}, { number: '0x5' })).rejects.toThrow('not number')
  await expect(call({ to: contract }, 'latest', {}, { time: -1 })).rejects.toThrow('-1 is not a non-negative integer')
  await expect(call({ to: contract }, 'latest', {}, 7)).rejects.toThrow('7 is not an object')
  await expect(call()).rejects.toThrow('nothing is not an object')
  await expect(call({ data: '0x' }, 'latest', {}, { time: '0x1' })).rejects.toThrow('needs `to`')
})

test('behavior: a revert has code 3 and the data of the contract', async () => {
  const { ask, call } = await openChain()
  // revert(0x12345678)
  await call('hardhat_setCode', contract, '0x63123456786000526004601cfd')
  const revert = { code: 3, data: '0x12345678', message: expect.stringMatching(/^execution reverted/) }
  expect((await ask('eth_call', { to: contract }, 'latest')).error).toEqual(revert)
  expect((await ask('eth_estimateGas', { from: sender, to: contract })).error).toEqual(revert)
  const time = { time: `0x${(genesisSecond + 9).toString(16)}` }
  expect((await ask('eth_call', { to: contract }, 'latest', {}, time)).error).toEqual(revert)
  await call('hardhat_setCode', contract, '0xfe')
  expect((await ask('eth_call', { to: contract }, 'latest')).error).toMatchObject({ code: -32000 })
})

test('behavior: logs and receipts have the time of their block', async () => {
  const { call } = await openChain()
  // log1(topic 0xaa)
  await call('hardhat_setCode', contract, '0x60aa60006000a100')
  const hash = await call('eth_sendTransaction', { from: sender, to: contract })
  await call('evm_mine', genesisSecond + 50)
  await call('eth_sendTransaction', { from: sender, to: contract })
  const times = ((await call('eth_getLogs', { fromBlock: '0x0' })) as { blockTimestamp: string }[]).map(
    ({ blockTimestamp }) => Number(blockTimestamp) - genesisSecond,
  )
  expect(times).toEqual([0, 50])
  const receipt = (await call('eth_getTransactionReceipt', hash)) as { blockHash: string; logs: unknown[] }
  expect(receipt.logs).toMatchObject([{ blockTimestamp: `0x${genesisSecond.toString(16)}` }])
  expect(await call('eth_getBlockReceipts', '0x1')).toEqual([receipt])
  expect(await call('eth_getBlockReceipts', receipt.blockHash)).toEqual([receipt])
  expect(await call('eth_getBlockReceipts', '0x2')).toEqual([])
  expect(await call('eth_getBlockReceipts', '0x99')).toBeNull()
})

test('behavior: many blocks at once have the hashes of their parents, and a revert removes them', async () => {
  const { call, head } = await openChain()
  const snapshot = await call('evm_snapshot')
  // Another client's name for hardhat_mine.
  await call('anvil_mine', '0x258', '0x5')
  expect(await head()).toEqual([600, 599 * 5, 0])
  let parent = ((await call('eth_getBlockByNumber', '0x0', false)) as { hash: string }).hash
  for (let number = 1; number <= 600; number += 1) {
    const block = (await call('eth_getBlockByNumber', `0x${number.toString(16)}`, false)) as Record<string, string>
    expect(block['parentHash']).toBe(parent)
    parent = block['hash'] as string
  }
  expect(await call('evm_revert', snapshot)).toBe(true)
  expect(await head()).toEqual([0, 0, 0])
  await call('evm_mine')
  expect(await head()).toEqual([1, 0, 0])
  expect(await call('evm_revert', snapshot)).toBe(false)
  expect(await call('evm_revert', 'nonsense')).toBe(false)
})

test('error: methods that would bypass the clock or the journal are rejected', async () => {
  const { ask, chain } = await openChain()
  for (const method of ['hardhat_reset', 'anvil_reset', 'evm_unknown']) {
    await expect(chain.handle(method, [])).rejects.toMatchObject({ code: -32601 })
  }
  await expect(chain.handle('hardhat_mine', ['0x1869f1'])).rejects.toThrow('more than 100000')
  await expect(chain.handle('evm_setAutomine', ['yes'])).rejects.toThrow('true or false')
  for (const method of ['__proto__', 'constructor', 'toString']) {
    expect(await ask(method)).toMatchObject({ error: { code: -32004 } })
  }
  const afterYear9999 = 253_402_300_800
  for (const method of ['evm_setTime', 'evm_increaseTime', 'evm_setNextBlockTimestamp', 'evm_mine']) {
    await expect(chain.handle(method, [afterYear9999])).rejects.toThrow('after the year 9999')
  }
  await expect(chain.handle('hardhat_mine', [2, afterYear9999])).rejects.toThrow('after the year 9999')
  for (const value of [null, '', '0x', '-1', 1.5, 2 ** 60, [], {}]) {
    await expect(chain.handle('evm_increaseTime', [value])).rejects.toThrow('is not a non-negative integer')
  }
})
