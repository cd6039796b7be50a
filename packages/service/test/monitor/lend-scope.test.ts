import { maturityOf, type Period, periodAfter } from '@tallystick/core'
import { monitorStateSchema } from '@tallystick/monitor'
import { describe, expect, test } from 'vitest'
import { startFakeLendChain } from '../fake-lend-chain.ts'
import { firstPeriod, notesEntry, otherSigner, pool, signerEntry, startMonitoredLog } from '../monitored-log.ts'

const next = periodAfter(firstPeriod)
const third = periodAfter(next)

function lendOf(period: Period, coupon = 369n) {
  return { maturity: maturityOf({ noteDay: period.noteDay, tenorDays: 7 }), coupon }
}

/** A log of chains 324 and 8453, and a node of chain 8453 with a lend before the log's first period and one in each of two. */
async function startTwoChains() {
  const parts = await startMonitoredLog()
  const chain = await startFakeLendChain({ chainId: 8453 })
  chain.mine(firstPeriod.start - 7_200n, lendOf(firstPeriod, 999n), lendOf(firstPeriod, 998n))
  const block = chain.mine(firstPeriod.start, lendOf(firstPeriod))
  chain.mine(next.start, lendOf(next))
  const signer = signerEntry({ chainid: '8453' })
  const sets = await Promise.all([firstPeriod, next].map((period) => notesEntry({ period, chainid: '8453' })))
  return {
    ...parts,
    chain,
    transaction: chain.transactionOf(block),
    signer,
    sets,
    rpcs: new Map([[8453, [chain.url]]]),
  }
}

const restart = (state: object) => monitorStateSchema.parse(JSON.parse(JSON.stringify(state)))

describe('a set that was removed from a log', () => {
  test('default: with all sets nothing is found, and lends before the log are only counted', async () => {
    const { monitor, publish, rpcs, signer, sets } = await startTwoChains()
    publish(await notesEntry(), signer, ...sets)
    const watch = monitor({ rpcs })
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0 })
    expect([watch.context.totals.lends.get(8453), watch.state.chains['8453']?.lendsBefore]).toEqual([2, '2'])
  })

  test.each([
    ['none', 0, 5, '0'],
    ['some, and none after it', 3, 5, '3'],
    ['some in blocks that the node gives only in small ranges', 3, 120, '3'],
    ['some long before it', 3, 500, null],
  ])('behavior: %s before the log are counted without a lend after it', async (_, lends, blocks, count) => {
    const { monitor, publish } = await startMonitoredLog()
    publish(await notesEntry())
    const chain = await startFakeLendChain()
    const at = (block: number) => firstPeriod.start - BigInt(blocks + 10 - block)
    for (let block = 0; block < 4; block++) chain.mine(at(block), ...(block < lends ? [lendOf(firstPeriod, 1n)] : []))
    for (let block = 4; block < blocks; block++) chain.mine(at(block))
    chain.mine(firstPeriod.start)
    chain.rangeMax = 20
    const watch = monitor({ rpcs: new Map([[324, [chain.url]]]) })
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0 })
    expect(watch.state.chains['324']?.lendsBefore).toBe(count)
    chain.mine(firstPeriod.start + 1n, lendOf(firstPeriod))
    await watch.check()
    expect(watch.state.chains['324']?.lendsBefore).toBe(String(lends))
  })

  test('error: the first set of a chain is missed by its lends, because another chain proves the age of the log', async () => {
    const { monitor, publish, rpcs, signer, sets, transaction } = await startTwoChains()
    publish(await notesEntry(), signer, ...sets.slice(1))
    const watch = monitor({ rpcs })
    expect(await watch.check()).toMatchObject({ findings: 1, warnings: 0 })
    expect(watch.findings()).toEqual([
      expect.objectContaining({
        kind: 'lend_not_logged',
        message: expect.stringMatching(
          `${transaction}.*the log has no such note for 2026-10-30, 00:00 to 18:00 New York.*The log has sets of that time, ` +
            'but its first set of chain 8453 is for 2026-10-30, 18:00.*Sets were removed',
        ),
        evidence: expect.objectContaining({ transactionHash: transaction }),
      }),
    ])
    expect(watch.state.chains['8453']?.lendsBefore).toBe('2')
  })

  test('error: while the next set is withheld, it is found in the second round', async () => {
    const { monitor, log, publish, rpcs, signer, sets, clock } = await startTwoChains()
    publish(await notesEntry(), signer, ...sets.slice(1))
    log.append(JSON.stringify(await notesEntry({ period: third })), { isWithheld: true })
    log.publish()
    clock.nowMs = Number(next.start) * 1000 + 60_000
    const watch = monitor({ rpcs })
    await watch.check()
    expect(await watch.checkKinds()).toEqual(['lend_not_logged'])
  })

  test('error: all sets of a chain, if the caller names its pool', async () => {
    const { monitor, publish, rpcs, signer } = await startTwoChains()
    publish(await notesEntry(), signer)
    const without = monitor({ rpcs })
    expect(await without.check()).toMatchObject({ findings: 0, warnings: 1 })
    expect(without.warnings()[0]).toContain('--pool 8453=<address>')
    const named = monitor({ rpcs, pools: new Map([[8453, [pool]]]), state: restart(without.state) })
    expect(await named.check()).toMatchObject({ findings: 2, warnings: 0 })
    expect(named.findings()[0]?.message).toContain('but it has no set of chain 8453.')
  })
})

describe('lends that the state has passed over', () => {
  test('behavior: a state of an earlier version is read again from the first period of the log on', async () => {
    const { monitor, publish, rpcs, signer, sets } = await startTwoChains()
    publish(await notesEntry(), signer, ...sets.slice(1))
    const first = monitor({ rpcs })
    await first.check()
    const { scope, lendsBefore, firstSets, ...old } = restart(first.state).chains['8453'] as object as Record<
      string,
      unknown
    >
    expect([scope, lendsBefore, firstSets]).not.toContain(undefined)
    const state = { ...first.state, chains: { ...first.state.chains, 8453: old }, findings: { counts: {}, recent: [] } }
    const upgraded = monitor({ rpcs, state: restart(state) })
    expect(await upgraded.checkKinds()).toEqual(['lend_not_logged'])
    const settled = monitor({ rpcs, state: restart(upgraded.state) })
    await settled.check()
    expect(settled.events.map(({ event }) => event)).toEqual(['start'])
  })

  test('behavior: a pool that the log or the caller names later is read from the first period on', async () => {
    const { monitor, publish, chain, rpcs, signer, sets, clock } = await startTwoChains()
    publish(await notesEntry(), signer, ...sets)
    const watch = monitor({ rpcs })
    expect(await watch.checkKinds()).toEqual([])
    clock.nowMs = Number(third.start) * 1000
    for (let at = 1n; at < 200n; at++) chain.mine(next.start + at)
    const secret = chain.mine(next.start + 200n, { ...lendOf(next, 400n), pool: otherSigner.address })
    for (let at = 201n; at < 400n; at++) chain.mine(next.start + at)
    expect(await watch.checkKinds()).toEqual([])
    const before = restart(watch.state)
    const named = monitor({ rpcs, state: before, pools: new Map([[8453, [otherSigner.address]]]) })
    expect(await named.checkKinds()).toEqual(['lend_not_logged'])
    publish(await notesEntry({ period: third, chainid: '8453', pool: otherSigner.address }))
    expect(await watch.checkKinds()).toEqual(['pool_changed', 'lend_not_logged'])
    expect(watch.findings()[1]?.evidence).toMatchObject({ block: secret, coupon: '400' })
    // The lines of the periods that are read again are not repeated.
    expect(watch.events.filter(({ event }) => event === 'period').length).toBeLessThan(6)
  })
})
