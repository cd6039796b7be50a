import { dollarTokenAbi, poolAbi } from '@tallystick/contracts'
import { type Address, encodeFunctionData, getAddress, pad, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mineBatches } from '../src/protocol/mine-batches.ts'
import { noteAt } from './calls.ts'
import { type Chain, dollars, noPartner, signNote, startChain, startsAt } from './chain.ts'

const strangers = Array.from({ length: 40 }, (_, index) => getAddress(pad(toHex(0x1000 + index), { size: 20 })))

let chain: Chain
let url: string
beforeAll(async () => {
  chain = await startChain()
  url = chain.client.chain.rpcUrls.default.http[0]!
  for (const address of strangers) {
    await chain.client.impersonateAccount({ address })
    await chain.client.setBalance({ address, value: 10n ** 21n })
  }
})
afterAll(() => chain.stop())

test('default: a block of its second holds every transaction in its order, several of one sender too', async () => {
  const mint = (to: Address) => ({ from: chain.admin.address, to: chain.token, data: mintData(to) })
  const approve = (from: Address) => ({ from, to: chain.token, data: approveData() })
  const transactions = [...strangers.map(mint), ...strangers.map(approve)]
  await mineBatches(url, [{ timestamp: startsAt + 100n, transactions }])
  const timestamp = startsAt + 500n
  await mineBatches(url, [{ timestamp, transactions: await lends(timestamp, 200) }])
  const block = await chain.client.getBlock()
  expect(block).toMatchObject({ timestamp, transactions: { length: 200 } })
  const lent = await chain.client.getContractEvents({
    address: chain.pool,
    abi: poolAbi,
    eventName: 'Lend',
    blockHash: block.hash,
  })
  expect(lent.map(({ args }) => args.initiator)).toEqual(
    Array.from({ length: 200 }, (_, index) => strangers[index % strangers.length]),
  )
})

test('error: a transaction that reverts is named by its sender', async () => {
  const timestamp = startsAt + 1_000n
  // Signed for another second: the note is over.
  const transactions = await lends(timestamp - 100n, 1)
  await expect(mineBatches(url, [{ timestamp, transactions }])).rejects.toThrow(`from ${strangers[0]} reverted.`)
})

test('error: what the node refuses outright is said in its words', async () => {
  const poor = pad('0x99', { size: 20 })
  await chain.client.impersonateAccount({ address: poor })
  const transactions = [{ from: poor, to: chain.token, data: approveData() }]
  const batch = mineBatches(url, [{ timestamp: startsAt + 2_000n, transactions }])
  await expect(batch).rejects.toThrow("eth_sendTransaction: Sender doesn't have enough funds")
})

async function lends(at: bigint, count: number) {
  const note = noteAt(at)
  const signature = await signNote(chain, note)
  return Array.from({ length: count }, (_, index) => {
    const from = strangers[index % strangers.length]!
    const params = { beneficiary: from, partnerId: noPartner, partnerFeeBPS: 0n, principal: dollars(1_000) }
    const data = encodeFunctionData({ abi: poolAbi, functionName: 'lend', args: [params, note, signature] })
    return { from, to: chain.pool, data }
  })
}

function mintData(to: Address) {
  return encodeFunctionData({ abi: dollarTokenAbi, functionName: 'mint', args: [to, dollars(100_000)] })
}

function approveData() {
  return encodeFunctionData({
    abi: dollarTokenAbi,
    functionName: 'approve',
    args: [chain.pool, dollars(100_000)],
  })
}
