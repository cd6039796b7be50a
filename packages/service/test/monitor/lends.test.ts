import { maturityOf, type Period, periodAfter } from '@tallystick/core'
import { monitorStateSchema } from '@tallystick/monitor'
import { describe, expect, test } from 'vitest'
import { startFakeLendChain } from '../fake-lend-chain.ts'
import { curveEntry, firstPeriod, notesEntry, otherSigner, periodsFrom, startMonitoredLog } from '../monitored-log.ts'

const next = periodAfter(firstPeriod)

/** The 7-day note of a period, or one that was never logged. */
function lendOf(period: Period, coupon = 369n, tenorDays = 7) {
  return { maturity: maturityOf({ noteDay: period.noteDay, tenorDays }), coupon }
}

async function startLends() {
  const parts = await startMonitoredLog()
  const chain = await startFakeLendChain()
  chain.mine(firstPeriod.start - 7_200n)
  chain.mine(firstPeriod.start - 3_600n, lendOf(firstPeriod, 999n))
  const rpcs = new Map([[324, [chain.url]]])
  return { ...parts, chain, rpcs }
}

describe('an honest chain', () => {
  test('default: lends on logged notes are silent, in the first and last second of a period', async () => {
    const { monitor, publish, chain, rpcs } = await startLends()
    publish(await notesEntry(), await notesEntry({ period: next }))
    chain.mine(firstPeriod.start, lendOf(firstPeriod), lendOf(firstPeriod, 362n, 30))
    chain.mine(firstPeriod.end - 1n, lendOf(firstPeriod))
    chain.mine(next.start, lendOf(next))
    const watch = monitor({ rpcs })
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0, isLogRead: true })
    expect(watch.context.totals.lends.get(324)).toBe(4)
    expect(watch.state.chains['324']?.cursor?.block).toBe(4)
  })

  test('behavior: a new period’s first lends are not compared with a log that was read before them', async () => {
    const { monitor, publish, chain, rpcs } = await startLends()
    publish(await notesEntry())
    const watch = monitor({ rpcs })
    await watch.check()
    // The set is logged and lent on while the monitor reads.
    const set = await notesEntry({ period: next })
    let isDone = false
    chain.onCall = async (method) => {
      if (method !== 'eth_getBlockByNumber' || isDone) return
      isDone = true
      chain.mine(next.start, lendOf(next))
      publish(set)
    }
    expect(await watch.checkKinds()).toEqual([])
    expect(await watch.checkKinds()).toEqual([])
    expect(watch.context.totals.lends.get(324)).toBe(1)
  })

  test('behavior: a chain whose clock is ahead waits for the set of its period', async () => {
    const { monitor, log, chain, rpcs, clock, publish } = await startLends()
    publish(await notesEntry())
    log.append(JSON.stringify(await notesEntry({ period: next })), { isWithheld: true })
    log.publish()
    const watch = monitor({ rpcs })
    clock.nowMs = Number(next.start) * 1000 - 20_000
    chain.mine(next.start, lendOf(next))
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 1 })
    clock.nowMs += 15_000
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 1 })
    expect(watch.warnings()[0]).toContain('cannot be read yet')
    clock.nowMs += 14_000
    log.reveal()
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0, isLogRead: true })
    expect(watch.context.totals.lends.get(324)).toBe(1)
  })

  test('behavior: a single run waits for a set that is public in a moment, and not for ever', {
    tags: 'slow',
  }, async () => {
    const { monitor, log, chain, rpcs, clock, publish } = await startLends()
    publish(await notesEntry())
    log.append(JSON.stringify(await notesEntry({ period: next })), { isWithheld: true })
    log.publish()
    chain.mine(next.start, lendOf(next))
    let pauses = 0
    const pause = async (ms: number) => {
      clock.nowMs += ms
      pauses += 1
      if (pauses === 3) log.reveal()
    }
    const watch = monitor({ rpcs, pause, repeatsFindings: true })
    expect(await watch.checkAll()).toMatchObject({ findings: 0, warnings: 0 })
    expect(pauses).toBe(3)
    chain.mine(next.start + 1n, lendOf(next, 370n))
    chain.mine(periodAfter(next).start, lendOf(periodAfter(next)))
    log.append(JSON.stringify(await notesEntry({ period: periodAfter(periodAfter(next)) })), { isWithheld: true })
    log.publish()
    // The service has no set for the last lend.
    expect(await watch.checkAll()).toMatchObject({ findings: 2, warnings: 0 })
    expect(watch.kinds()).toEqual(['lend_not_logged', 'lend_not_logged'])
    expect(pauses).toBe(3 + 6)
  })

  test('behavior: a set behind a withheld curve is compared before the curve is public', async () => {
    const { monitor, log, chain, rpcs, publish, clock } = await startLends()
    publish(await notesEntry())
    const later = String(periodAfter(next).start)
    log.append(JSON.stringify(curveEntry({ effectiveFrom: later })), { isWithheld: true })
    log.append(JSON.stringify(await notesEntry({ period: next })))
    log.publish()
    clock.nowMs = Number(next.start) * 1000
    chain.mine(next.start, lendOf(next))
    const watch = monitor({ rpcs })
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0, isLogRead: true })
    expect(watch.state).toMatchObject({ checked: 3, chains: { 324: { cursor: { block: 2 } } } })
    chain.mine(next.start + 1n, lendOf(next, 370n))
    expect(await watch.checkKinds()).toEqual(['lend_not_logged'])
  })
})

describe('error: a lend on a note that was never logged', () => {
  test.each([
    ['another coupon', lendOf(firstPeriod, 370n)],
    ['another maturity', { ...lendOf(firstPeriod), maturity: lendOf(firstPeriod).maturity + 1n }],
    ['the coupon of another tenor', lendOf(firstPeriod, 362n)],
    ['the note of the next period', lendOf({ ...next, noteDay: next.noteDay + 86_400n })],
  ])('%s', async (_, lend) => {
    const { monitor, publish, chain, rpcs } = await startLends()
    publish(await notesEntry())
    chain.mine(firstPeriod.start, lendOf(firstPeriod))
    const block = chain.mine(firstPeriod.start + 15n, lendOf(firstPeriod), lend)
    const watch = monitor({ rpcs })
    expect(await watch.check()).toMatchObject({ findings: 1 })
    const transactionHash = chain.transactionOf(block, 1)
    expect(watch.findings()).toEqual([
      expect.objectContaining({
        kind: 'lend_not_logged',
        message: expect.stringContaining(transactionHash),
        evidence: expect.objectContaining({ transactionHash, block, coupon: String(lend.coupon) }),
      }),
    ])
    // Its block is read again, and it is not reported again.
    chain.mine(firstPeriod.start + 30n)
    await watch.check()
    expect(watch.findings()).toHaveLength(1)
  })

  test('in a period without a set, however the next one is withheld', async () => {
    const { monitor, log, chain, rpcs, clock, publish } = await startLends()
    publish(await notesEntry())
    const watch = monitor({ rpcs })
    await watch.check()
    chain.mine(next.start + 10n, lendOf(next))
    expect(await watch.checkKinds()).toEqual(['lend_not_logged'])
    log.append(JSON.stringify(await notesEntry({ period: periodAfter(next) })), { isWithheld: true })
    log.publish()
    chain.mine(next.start + 20n, lendOf(next, 400n))
    await watch.check()
    clock.nowMs += 15_000
    await watch.check()
    expect(watch.kinds()).toHaveLength(1)
    clock.nowMs += 15_000
    await watch.check()
    // Found within a minute: 30 s, and a round of 15 s.
    expect(watch.kinds()).toEqual(['lend_not_logged', 'lend_not_logged'])
  })

  test('on another pool of the log', async () => {
    const { monitor, publish, chain, rpcs } = await startLends()
    publish(await notesEntry(), await notesEntry({ period: next, pool: otherSigner.address }))
    chain.mine(firstPeriod.start, lendOf(firstPeriod))
    chain.mine(next.start, { ...lendOf(next), pool: otherSigner.address })
    chain.mine(next.start + 1n, lendOf(next))
    const watch = monitor({ rpcs })
    expect(await watch.checkKinds()).toEqual(['pool_changed', 'lend_not_logged'])
  })

  test('while the log does not respond, if its set is known', async () => {
    const { monitor, publish, chain, rpcs, server } = await startLends()
    publish(await notesEntry())
    const watch = monitor({ rpcs })
    await watch.check()
    server.faultOf = () => ({ kind: 'status', status: 500 })
    chain.mine(firstPeriod.start, lendOf(firstPeriod, 370n))
    chain.mine(next.start, lendOf(next))
    expect(await watch.checkKinds()).toEqual(['lend_not_logged'])
    expect(watch.state.chains['324']?.cursor?.block).toBe(2)
    server.faultOf = () => undefined
    publish(await notesEntry({ period: next }))
    expect(await watch.checkKinds()).toEqual(['lend_not_logged'])
    expect(watch.state.chains['324']?.cursor?.block).toBe(3)
  })

  test('in a block that replaced another one', async () => {
    const { monitor, publish, chain, rpcs } = await startLends()
    publish(await notesEntry())
    for (let at = 0n; at < 100n; at++) chain.mine(firstPeriod.start + at)
    const watch = monitor({ rpcs })
    expect(await watch.checkKinds()).toEqual([])
    chain.reorganize(90)
    chain.mine(firstPeriod.start + 20n, lendOf(firstPeriod, 1n))
    for (let at = 21n; at < 120n; at++) chain.mine(firstPeriod.start + at)
    expect(await watch.checkKinds()).toEqual(['lend_not_logged'])
  })
})

describe('progress', () => {
  test('behavior: begins at the first period of the log, in ranges that the node accepts', async () => {
    const { monitor, publish, chain, rpcs } = await startLends()
    publish(...(await Promise.all(periodsFrom(firstPeriod, 6).map((period) => notesEntry({ period })))))
    for (const period of periodsFrom(firstPeriod, 6)) {
      for (let at = 0n; at < 50n; at++) chain.mine(period.start + at, ...(at % 10n === 0n ? [lendOf(period)] : []))
    }
    chain.rangeMax = 40
    const watch = monitor({ rpcs })
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 0 })
    expect(watch.context.totals.lends.get(324)).toBe(30)
    // Sets of settled periods are not kept.
    expect(Object.keys(watch.state.chains['324']?.sets ?? {}).length).toBeLessThan(6)
    chain.ranges.length = 0
    chain.mine(firstPeriod.start + 10n ** 6n)
    await watch.check()
    expect(Math.min(...chain.ranges.map(([from]) => from))).toBe(301 + 1 - 128)
  })

  test('behavior: a long chain does not keep the log from being read', { tags: 'slow' }, async () => {
    const { monitor, publish, chain, rpcs, clock, server } = await startLends()
    publish(await notesEntry())
    for (let at = 0n; at < 400n; at++)
      chain.mine(firstPeriod.start + at, ...(at === 399n ? [lendOf(firstPeriod, 370n)] : []))
    chain.rangeMax = 50
    chain.onCall = async (method) => {
      // The blocks that are read again take longer than a round.
      if (method === 'eth_getLogs') clock.nowMs += 20_000
    }
    const watch = monitor({ rpcs })
    let rounds = 1
    while ((await watch.check()).isBehind) rounds += 1
    expect(watch.kinds()).toEqual(['lend_not_logged'])
    expect(rounds).toBeGreaterThan(2)
    expect(server.requests.filter((path) => path === 'checkpoint')).toHaveLength(rounds)
  })

  test('behavior: a chain that changes during a read is read again at once', async () => {
    const { monitor, publish, chain, rpcs } = await startLends()
    publish(await notesEntry())
    const watch = monitor({ rpcs })
    await watch.check()
    chain.mine(firstPeriod.start, lendOf(firstPeriod, 370n))
    let changes = 0
    chain.onCall = async (method) => {
      if (method !== 'eth_getLogs' || changes++ > 0) return
      chain.reorganize(1)
      chain.mine(firstPeriod.start, lendOf(firstPeriod, 371n))
    }
    expect(await watch.check()).toMatchObject({ findings: 1, warnings: 0 })
    expect(watch.findings()[0]?.evidence).toMatchObject({ coupon: '371' })
  })

  test('behavior: a restart continues, and a chain that is followed for the first time is read from its start', async () => {
    const { monitor, publish, chain, rpcs } = await startLends()
    publish(await notesEntry(), await notesEntry({ period: next }))
    chain.mine(firstPeriod.start, lendOf(firstPeriod, 370n))
    for (let at = 1n; at < 200n; at++) chain.mine(firstPeriod.start + at)
    const without = monitor()
    expect(await without.checkKinds()).toEqual([])
    const copy = (state: object) => monitorStateSchema.parse(JSON.parse(JSON.stringify(state)))
    const first = monitor({ rpcs, state: copy(without.state) })
    expect(await first.checkKinds()).toEqual(['lend_not_logged'])
    const second = monitor({ rpcs, state: copy(first.state) })
    chain.mine(next.start, lendOf(next))
    chain.ranges.length = 0
    expect(await second.checkKinds()).toEqual([])
    expect(second.context.totals.lends.get(324)).toBe(1)
    expect(chain.ranges[0]?.[0]).toBeGreaterThan(2)
    const away = monitor({ state: copy(second.state) })
    await away.check()
    const again = monitor({ rpcs, state: copy(away.state) })
    await again.check()
    expect(again.context.totals.lends.get(324)).toBe(2)
  })

  test('behavior: killed at any save, nothing is passed over', { tags: 'slow' }, async () => {
    const { monitor, publish, chain, rpcs, clock } = await startLends()
    const periods = periodsFrom(firstPeriod, 4)
    publish(...(await Promise.all(periods.map((period) => notesEntry({ period })))))
    chain.rangeMax = 2
    for (const period of periods) {
      chain.mine(period.start, lendOf(period))
      chain.mine(period.start + 1n, lendOf(period, 555n))
    }
    const saved = new Set<string>()
    const save = async (state: object) => void saved.add(JSON.stringify(state))
    const watch = monitor({ rpcs, save })
    // Every save is due.
    let nowMs = clock.nowMs
    Object.defineProperty(clock, 'nowMs', { get: () => (nowMs += 10_000) })
    // The rounds are short: the log is read again between them.
    while ((await watch.check()).isBehind) {}
    expect(watch.kinds()).toHaveLength(4)
    expect(saved.size).toBeGreaterThan(4)
    for (const text of saved) {
      const state = monitorStateSchema.parse(JSON.parse(text))
      const known = state.findings.recent.length
      const after = monitor({ rpcs, state })
      while ((await after.check()).isBehind) {}
      expect([known + after.kinds().length, after.state.findings.recent.length]).toEqual([4, 4])
    }
  })
})

describe('error: RPCs', () => {
  test('one that fails is a warning without its URL, and recovers', async () => {
    const { monitor, publish, chain, rpcs } = await startLends()
    publish(await notesEntry())
    chain.answer = (method, result) => {
      if (method === 'eth_chainId') return result
      throw new Error(`no access for ${chain.url} s3cr3t-key`)
    }
    const watch = monitor({ rpcs })
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 1, isLogRead: true })
    expect(watch.warnings()[0]).toContain('Chain 324: its lends cannot be checked.')
    expect(JSON.stringify(watch.events)).not.toContain('s3cr3t')
    chain.answer = (_, result) => result
    await expect.poll(async () => (await watch.check()).warnings).toBe(0)
  })

  test('one of another chain is not used', async () => {
    const { monitor, publish } = await startLends()
    publish(await notesEntry())
    const other = await startFakeLendChain({ chainId: 1 })
    other.mine(firstPeriod.start, lendOf(firstPeriod, 370n))
    const watch = monitor({ rpcs: new Map([[324, [other.url]]]) })
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 1 })
    expect(watch.warnings()[0]).toContain('serves chain 1, not chain 324')
  })

  test('the next one of a chain is used', async () => {
    const { monitor, publish, chain } = await startLends()
    publish(await notesEntry())
    chain.mine(firstPeriod.start, lendOf(firstPeriod, 370n))
    const rpcs = new Map([[324, ['http://127.0.0.1:1/', chain.url]]])
    expect(await monitor({ rpcs }).checkKinds()).toEqual(['lend_not_logged'])
  })

  test.each([
    ['logs that are none', 'eth_getLogs', () => [{}]],
    [
      'logs of other blocks',
      'eth_getLogs',
      (logs: unknown) => (logs as object[]).map((log) => ({ ...log, blockNumber: '0x0' })),
    ],
    [
      'logs of another contract',
      'eth_getLogs',
      (logs: unknown) => (logs as object[]).map((log) => ({ ...log, address: otherSigner.address })),
    ],
    [
      'logs of another block hash',
      'eth_getLogs',
      (logs: unknown) => (logs as object[]).map((log) => ({ ...log, blockHash: `0x${'1'.repeat(64)}` })),
    ],
    ['short data', 'eth_getLogs', (logs: unknown) => (logs as object[]).map((log) => ({ ...log, data: '0x01' }))],
    [
      'an impossible time',
      'eth_getBlockByNumber',
      (block: unknown) => ({ ...(block as object), timestamp: '0x1fffffffffffff' }),
    ],
    ['a block without hashes', 'eth_getBlockByNumber', () => ({})],
  ] as const)('%s are a warning, and nothing is passed over', async (_, method, change) => {
    const { monitor, publish, chain, rpcs } = await startLends()
    publish(await notesEntry())
    chain.mine(firstPeriod.start, lendOf(firstPeriod, 370n))
    const watch = monitor({ rpcs })
    chain.answer = (asked, result) => (asked === method ? change(result) : result)
    expect(await watch.check()).toMatchObject({ findings: 0, warnings: 1 })
    chain.answer = (_asked, result) => result
    await expect.poll(() => watch.checkKinds()).toEqual(['lend_not_logged'])
  })

  test('a chain without sets in the log', async () => {
    const { monitor, publish } = await startLends()
    publish(await notesEntry())
    const other = await startFakeLendChain({ chainId: 1 })
    other.mine(firstPeriod.start)
    const watch = monitor({ rpcs: new Map([[1, [other.url]]]) })
    await watch.check()
    expect(watch.warnings()).toEqual([
      'The log has no sets of chain 1 that can be read, so its lends are not checked. If the chain has a pool, name it: --pool 1=<address>.',
    ])
  })
})
