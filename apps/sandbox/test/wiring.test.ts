import { createPoolReader, type PoolReader } from '@tallystick/chain'
import type { Note } from '@tallystick/core'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { minterRole } from '../src/protocol/deploy-protocol.ts'
import { approvePosition, lendCall, lentAt, maturesAt, noteAt } from './calls.ts'
import { type Chain, dollars, send, signNote, startChain } from './chain.ts'
import { ignoreOverrides, refuseOverrides, startRpcProxy } from './rpc-proxy.ts'

let chain: Chain
let note: Note
let snapshot: `0x${string}`

beforeAll(async () => {
  chain = await startChain()
  const [lender] = chain.wallets
  const from = lender!.address
  await send(chain, { from, to: chain.token, functionName: 'approve', args: [chain.pool, dollars(5_000)] })
  await send(chain, await lendCall(chain, { lender: from }))
  await chain.client.setNextBlockTimestamp({ timestamp: maturesAt + 10n })
  await chain.client.mine({ blocks: 1 })
  const terms = noteAt(maturesAt + 10n)
  note = { ...terms, startedAt: lentAt, signature: (await signNote(chain, terms)) as Note['signature'] }
})
afterAll(() => chain.stop())

beforeEach(async () => {
  snapshot = await chain.client.snapshot()
  onTestFinished(() => chain.client.revert({ id: snapshot }))
})

function readerOf(url = chain.client.transport.url as string): PoolReader {
  const reader = createPoolReader({ chainId: 324, rpcUrls: [url], pool: chain.pool })
  onTestFinished(reader.close)
  return reader
}

const check = (reader: PoolReader, mature = [1n]) =>
  reader.checkWiring({ note, principal: dollars(1_000), mature, atSeconds: maturesAt + 11n })

const administer = (functionName: string, to: `0x${string}`, ...args: unknown[]) =>
  send(chain, { from: chain.admin.address, to, functionName, args })

const outcomes = ({ mint, lend, claim }: Awaited<ReturnType<typeof check>>) => [
  mint.outcome,
  lend.outcome,
  claim.outcome,
]

test('default: a mint, a whole lend and a claim of a position that is not approved succeed, and nothing is changed', async () => {
  const head = await chain.client.getBlockNumber()
  const found = await check(readerOf())
  expect(found).toEqual({
    positionToken: chain.positions,
    dollar: chain.token,
    mint: { outcome: 'accepted', message: 'a mint of the dollar succeeds' },
    lend: { outcome: 'accepted', message: 'a lend succeeds' },
    claim: { outcome: 'accepted', message: 'a claim of position 1 succeeds' },
  })
  expect(await chain.client.getBlockNumber()).toBe(head)
})

test('error: a pool that may not mint the dollar can be lent to, but pays no claim', async () => {
  await administer('revokeRole', chain.token, minterRole, chain.pool)
  const found = await check(readerOf())
  expect(outcomes(found)).toEqual(['refused', 'accepted', 'refused'])
  expect(found.mint.message).toBe(`a mint of the dollar fails: the pool lacks the role ${minterRole}`)
})

test('error: a position token that names another pool fails the lend and the claim', async () => {
  await administer('setReserveStabilityPool', chain.positions, chain.admin.address)
  expect(outcomes(await check(readerOf()))).toEqual(['accepted', 'refused', 'refused'])
})

test('behavior: reverts that are not about roles accuse nobody', async () => {
  await administer('pause', chain.token)
  const found = await check(readerOf())
  expect(outcomes(found)).toEqual(['unknown', 'unknown', 'unknown'])
  expect(found.lend.message).toContain('EnforcedPause')
})

test('behavior: a position that does not exist is skipped, and one that is approved already is simulated', async () => {
  await send(chain, approvePosition(chain, chain.wallets[0]!.address, 1n))
  const reader = readerOf()
  expect((await check(reader, [99n, 1n])).claim.outcome).toBe('accepted')
  expect((await check(reader, [99n])).claim.message).toBe('not simulated: position 99 has no owner')
  expect((await check(reader, [])).claim.message).toBe('not simulated: no mature position is known')
})

test.each([
  ['refuses', refuseOverrides],
  ['ignores', ignoreOverrides],
])('behavior: through an RPC that %s overrides, only the mint is checked', async (_, interfere) => {
  const proxy = await startRpcProxy(chain.client.transport.url as string, interfere)
  onTestFinished(proxy.stop)
  const reader = readerOf(proxy.url)
  const found = await check(reader)
  expect(outcomes(found)).toEqual(['accepted', 'unknown', 'unknown'])
  expect(found.lend.message).toMatch(/^not simulated: /)
  const calls = proxy.calls().length
  await check(reader)
  // The storage is not probed again with every check.
  expect(proxy.calls().length - calls).toBeLessThan(8)
})
