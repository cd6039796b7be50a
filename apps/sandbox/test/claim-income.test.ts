import { claimability } from '@tallystick/client'
import { poolAbi, positionTokenAbi } from '@tallystick/contracts'
import { encodeAbiParameters, type Hex, toFunctionSelector } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lendCall, lentAt, noteAt, reportIncome } from './calls.ts'
import { balanceOf, type Chain, dollars, revertBeforeEach, send, startChain } from './chain.ts'
import { failureOf } from './failure-of.ts'
import { type Hook, openWallet } from './wallet.ts'

const day = 86_400n
const hour = 3_600n
const lendDay = lentAt / day
// Ann holds three equal positions over a week, 1 to 3, and one over two weeks, 4.
const maturesAt = lentAt + 7n * day
const maturityDay = maturesAt / day
const completeFrom = (maturityDay + 1n) * day

let chain: Chain
let ann: PrivateKeyAccount
beforeAll(async () => {
  chain = await startChain()
  ann = chain.wallets[0] as PrivateKeyAccount
  const approve = { to: chain.token, functionName: 'approve', args: [chain.pool, dollars(1_000_000)] }
  await send(chain, { ...approve, from: ann.address })
  for (const [index, tenorDays] of [7n, 7n, 7n, 14n].entries()) {
    const note = noteAt(lentAt, { tenorDays })
    await send(chain, await lendCall(chain, { lender: ann.address, note, at: lentAt + BigInt(index) }))
  }
  const approveAll = { from: ann.address, to: chain.positions, functionName: 'setApprovalForAll' }
  await send(chain, { ...approveAll, args: [chain.pool, true] })
})
afterAll(() => chain.stop())
revertBeforeEach(() => chain)
beforeEach(async () => {
  await chain.client.setAutomine(true)
})

/** Reports the days after the last reported one. */
async function report(firstDay: bigint, lastDay: bigint, at: bigint): Promise<void> {
  await send(chain, { ...reportIncome(chain, { firstDay, lastDay }), at })
}

async function readReported() {
  const pool = { address: chain.pool, abi: poolAbi } as const
  const { timestamp: now } = await chain.client.getBlock()
  const lastUpdatedDay = await chain.client.readContract({ ...pool, functionName: 'lastFloatingIncomeUpdateDay' })
  const days = Array.from({ length: 20 }, (_, index) => lendDay - 2n + BigInt(index))
  const sums = await Promise.all(
    days.map((asked) => chain.client.readContract({ ...pool, functionName: 'accFloatingIncome', args: [asked] })),
  )
  return { now, lastUpdatedDay, accFloatingIncome: (asked: bigint) => sums[days.indexOf(asked)] ?? 0n }
}

function readTerms(tokenId: bigint) {
  const call = { address: chain.positions, abi: positionTokenAbi, functionName: 'getLendInfo' } as const
  return chain.client.readContract({ ...call, args: [tokenId] })
}

describe('claim', () => {
  test('default: is refused until the day of the maturity is reported, and says what is paid now and later', async () => {
    const wallet = openWallet(chain, { account: ann.address })
    const claimRefused = async (tokenId: bigint) => {
      const before = await balanceOf(chain, ann.address)
      const failure = await failureOf(wallet.claim({ tokenId }))
      expect(failure).toMatchObject({ code: 'income_not_reported', retryable: true, hash: undefined })
      expect(failure.claimability).toEqual(claimability(await readTerms(tokenId), await readReported()))
      expect(failure.details).toMatchObject({
        ...{ tokenId: String(tokenId), maturityDay: String(maturityDay), completeFrom: String(completeFrom) },
        ...{ paidNow: String(failure.claimability?.paidNow.net) },
      })
      expect(await balanceOf(chain, ann.address)).toBe(before)
      expect(wallet.prompts).toEqual([])
      const { position } = await wallet.claim({ tokenId, acceptMissingIncome: true })
      expect(wallet.prompts.splice(0)).toEqual(['claim'])
      expect(position.totalIncome).toBe(failure.claimability?.paidNow.total)
      return position.totalIncome
    }
    // Two days are reported, and five hours after the maturity eight are missing until the maturity's own one.
    await report(lendDay - 2n, lendDay - 1n, maturesAt + 5n * hour)
    const first = await claimRefused(1n)
    await report(lendDay, maturityDay - 1n, maturesAt + 6n * hour)
    const second = await claimRefused(2n)
    await report(maturityDay, maturityDay, completeFrom)
    const third = await wallet.claim({ tokenId: 3n })
    const reported = await readReported()
    const found = claimability({ ...third.position, lendTimestamp: lentAt + 2n, partnerFeeBPS: 0n }, reported)
    expect(found).toMatchObject({ status: 'complete', missingIncome: 0n })
    expect(third.position.totalIncome).toBe(found.paidNow.total)
    expect(first).toBeLessThan(second)
    expect(second).toBeLessThan(third.position.totalIncome)
  })

  test('behavior: the estimate of what is missing is exact if the rate stays', async () => {
    await report(lendDay - 2n, lendDay + 1n, maturesAt + 5n * hour)
    const wallet = openWallet(chain, { account: ann.address })
    const { claimability: early } = await failureOf(wallet.claim({ tokenId: 1n }))
    await report(lendDay + 2n, maturityDay, completeFrom)
    const { position } = await wallet.claim({ tokenId: 1n })
    expect(early?.expectedAfter.total).toBe(position.totalIncome)
    expect(early?.missingIncome).toBe(position.totalIncome - (early?.paidNow.total ?? 0n))
  })

  test('error: a pool that has never reported a day', async () => {
    await chain.client.setNextBlockTimestamp({ timestamp: maturesAt })
    await chain.client.mine({ blocks: 1 })
    const failure = await failureOf(openWallet(chain, { account: ann.address }).claim({ tokenId: 1n }))
    expect(failure.claimability).toMatchObject({ lastReportedDay: 0n, paidNow: { floating: 0n }, missingIncome: 0n })
    expect(failure.message).toMatch(/^The pool has the floating income of no day/)
  })

  test('error: a position that has not matured is rejected as such', async () => {
    await report(lendDay - 2n, lendDay, maturesAt - hour)
    const failure = await failureOf(openWallet(chain, { account: ann.address }).claim({ tokenId: 1n }))
    expect(failure).toMatchObject({
      code: 'call_reverted',
      explanation: { name: 'ReserveStabilityPool__MaturityNotPassed' },
    })
  })

  const lastDaySelector = toFunctionSelector('lastFloatingIncomeUpdateDay()')
  function answerLastDay(answer: () => unknown): Record<string, Hook> {
    const eth_call: Hook = async (next, { params }) => {
      const [{ data }] = params as [{ data: Hex }]
      return data === lastDaySelector ? answer() : next()
    }
    return { eth_call }
  }

  test('error: a node that is behind refuses, and a node that fails claims nothing', async () => {
    await report(lendDay - 2n, maturityDay, completeFrom)
    const stale = () => encodeAbiParameters([{ type: 'uint256' }], [maturityDay - 1n])
    const behind = openWallet(chain, { account: ann.address, hooks: answerLastDay(stale) })
    expect(await failureOf(behind.claim({ tokenId: 1n }))).toMatchObject({ code: 'income_not_reported' })
    const fail = () => {
      throw { code: -32005, message: 'Too many requests' }
    }
    const failing = openWallet(chain, { account: ann.address, hooks: answerLastDay(fail) })
    expect(await failureOf(failing.claim({ tokenId: 1n }))).toMatchObject({ code: 'chain_failed', retryable: true })
    expect(await failureOf(failing.claimAll({ tokenIds: [1n, 2n] }))).toMatchObject({ code: 'chain_failed' })
    expect([...behind.prompts, ...failing.prompts]).toEqual([])
  })
})

describe('claimAll', () => {
  const later = lentAt + 14n * day

  test('default: claims the complete positions and lists the others with their reason', async () => {
    await report(lendDay - 2n, maturityDay, later + hour)
    const wallet = openWallet(chain, { account: ann.address })
    const { positions, skipped } = await wallet.claimAll({ tokenIds: [4n, 1n, 2n] })
    expect(wallet.prompts).toEqual(['batchClaim'])
    expect(positions.map(({ tokenId }) => tokenId)).toEqual([1n, 2n])
    expect(skipped.map(({ tokenId }) => tokenId)).toEqual([4n])
    const found = claimability(await readTerms(4n), await readReported())
    expect(skipped[0]?.error).toMatchObject({ code: 'income_not_reported', claimability: found })
    expect(skipped[0]?.error.details).toMatchObject({ tokenId: '4', missingIncome: String(found.missingIncome) })
    expect(found.missingIncome).toBeGreaterThan(0n)
  })

  test('behavior: acceptMissingIncome claims all, and each pays what was predicted', async () => {
    await report(lendDay - 2n, maturityDay, later + hour)
    const reported = await readReported()
    const predicted = await Promise.all(
      [1n, 2n, 4n].map(async (tokenId) => claimability(await readTerms(tokenId), reported).paidNow.total),
    )
    const wallet = openWallet(chain, { account: ann.address })
    const { positions, skipped } = await wallet.claimAll({ tokenIds: [1n, 2n, 4n], acceptMissingIncome: true })
    expect(positions.map(({ totalIncome }) => totalIncome)).toEqual(predicted)
    expect(skipped).toEqual([])
  })

  test.each([
    ['two positions', [1n, 2n]],
    ['one position', [1n]],
  ])('error: of %s, nothing is sent if none is complete', async (_, tokenIds) => {
    await report(lendDay - 2n, maturityDay - 1n, maturesAt + hour)
    const wallet = openWallet(chain, { account: ann.address })
    const failure = await failureOf(wallet.claimAll({ tokenIds }))
    expect(failure).toMatchObject({ code: 'income_not_reported', retryable: true, claimability: { maturityDay } })
    expect(failure.skipped?.map(({ tokenId }) => tokenId)).toEqual(tokenIds)
    expect(wallet.prompts).toEqual([])
  })
})
