import { dollarTokenAbi, poolAbi } from '@tallystick/contracts'
import { maturityOf, periodAt } from '@tallystick/core'
import { parseAbiItem, zeroAddress } from 'viem'
import { expect } from 'vitest'
import type { Credentials } from '../../../test/set-up/start-sandbox.ts'
import { dollars } from './chain.ts'
import { readChain, readPoolEvents } from './devnet-client.ts'

const tenors = [7, 14, 30, 60, 90, 180, 360]

/** Expects the 60 days of history of a new chain. */
export async function expectHistory(credentials: Credentials, { positions }: { positions: number }): Promise<void> {
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
  let lastDay = 0n
  for (const event of events) {
    if (event.eventName === 'UpdateDailyFloatingIncome') lastDay = event.args.updatedDay
    if (event.eventName === 'UpdatePreviousFloatingIncome') {
      lastDay = event.args.firstDay + BigInt(event.args.floatingIncomes.length) - 1n
    }
    // A claim before loses income.
    if (event.eventName === 'Claim') expect(lastDay >= event.args.maturityTimestamp / 86_400n).toBe(true)
  }
  if (positions >= 40) {
    expect(count('Claim')).toBeGreaterThan(0)
    const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)')
    const moves = await client.getLogs({ address: credentials.chains[0].positions, event: transfer, fromBlock: 0n })
    expect(moves.filter(({ args }) => args.from !== zeroAddress && args.to !== zeroAddress).length).toBeGreaterThan(0)
  }
  await expectSynced(credentials)
}

/** Expects that each of the last 60 days has its income. */
export async function expectSynced(credentials: Credentials): Promise<void> {
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

/** Expects that every wallet has ether and at least a million dollars. */
export async function expectWallets(credentials: Credentials): Promise<void> {
  const client = readChain(credentials)
  const [{ token }] = credentials.chains
  expect(credentials.wallets.length).toBeGreaterThan(3)
  for (const { address } of credentials.wallets) {
    expect(await client.getBalance({ address })).toBeGreaterThan(10n ** 18n)
    const call = { address: token, abi: dollarTokenAbi, functionName: 'balanceOf', args: [address] } as const
    expect(await client.readContract(call)).toBeGreaterThanOrEqual(dollars(1_000_000))
  }
}
