import { eventTopics } from '@tallystick/contracts/event-topics'
import type { BlockLogs, Log } from '@tallystick/subgraph'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ann,
  bob,
  claim,
  dailyIncome,
  isDecoded,
  lend,
  limit,
  log,
  pad,
  partnerCreated,
  partnerId,
  pool,
  positions,
  previousIncomes,
  signer,
  today,
  transfer,
  vault,
} from '../../subgraph/test/protocol-logs.ts'
import type { ChainDescription } from '../scripts/chain-description.ts'
import { compareHistory, compareMappings } from './compare-mappings.ts'
import { type BlockPlan, buildHistory } from './history.ts'
import { createHost } from './host/create-host.ts'
import { webAssembly } from './host/web-assembly.ts'
import { createDeployer, type Deployment } from './load-subgraph.ts'
import { hostileHistory, listA, listB, steps, validHistory } from './random-history.ts'

const chain: ChainDescription = {
  chainId: 324,
  network: 'zksync-era',
  startBlock: 1,
  pool,
  positions,
  denylisters: { positions: listB, dollar: listA },
  signer,
}
const deploy = createDeployer()
const deployment = deploy(chain)

/** Applies blocks to both mappings, and fails if they refuse one. */
async function compare(plans: readonly BlockPlan[], options: { deployment?: Deployment; deployedAt?: number } = {}) {
  const comparison = compareMappings(options.deployment ?? deployment, options)
  const outcomes = await compareHistory(comparison, buildHistory(plans))
  expect(outcomes.map(({ refused }) => refused)).toEqual(plans.map(() => undefined))
  return outcomes.map(({ changes }) => changes)
}

const inOne = (...logs: readonly Log[]): BlockPlan => ({ transactions: [logs] })
const inEach = (...logs: readonly Log[]): readonly BlockPlan[] => logs.map((one) => inOne(one))
const uintMax = 2n ** 256n - 1n
const pause = (by: string, topic: string) => log(by, { topics: [topic], words: [1n] })
const listing = (by: string, topic: string) => log(by, { topics: [topic, pad(ann)], words: [] })
const partnerChange = (topic: string, words: readonly bigint[]) =>
  log(pool, { topics: words.length === 1 ? [topic, pad(ann)] : [topic], words: [BigInt(partnerId), ...words.slice(1)] })
const { PartnerFeeChanged, PartnerOwnershipTransferred, PartnerVaultChanged } = eventTopics

/** A history with every event, in the order of the life of a pool. */
const everyEvent: readonly BlockPlan[] = [
  inOne(limit(eventTopics.MinLendLimitUpdated, 1_000n), limit(eventTopics.MaxCouponLimitUpdated, 1_000n)),
  ...inEach(limit(eventTopics.MinMaturityLimitUpdated, 172_800n), partnerCreated(25n)),
  { transactions: [lend(ann, { tokenId: 1n, partnerId }), lend(bob, { tokenId: 2n }), lend(ann, { tokenId: 3n })] },
  inOne(transfer(ann, { to: bob, tokenId: 1n }), transfer(bob, { to: bob, tokenId: 2n })),
  ...inEach(
    partnerChange(PartnerFeeChanged, [0n, 30n]),
    partnerChange(PartnerOwnershipTransferred, [0n]),
    partnerChange(PartnerVaultChanged, [0n]),
    dailyIncome(today - 2, [5n, 5n]),
    dailyIncome(today - 1, [6n, 11n]),
    previousIncomes(today - 4, [
      [1n, 1n],
      [2n, 3n],
    ]),
    previousIncomes(today - 2, [[7n, 10n]]),
    previousIncomes(today - 3, []),
    log(pool, { topics: [eventTopics.FeedSignatureVerifier__SignerChanged, pad(bob)], words: [] }),
    pause(pool, eventTopics.Paused),
    pause(positions, eventTopics.Paused),
    pause(pool, eventTopics.Unpaused),
    pause(positions, eventTopics.Unpaused),
    pause(`0x${'9'.repeat(40)}`, eventTopics.Paused),
    listing(listA, eventTopics.AddedToDenylist),
    listing(listB, eventTopics.AddedToDenylist),
    listing(listA, eventTopics.RemovedFromDenylist),
    listing(listB, eventTopics.RemovedFromDenylist),
  ),
  { transactions: [] },
  inOne(
    ...claim(bob, { tokenId: 1n, totalIncome: 50n, fee: 5n }),
    ...claim(ann, { tokenId: 3n, totalIncome: 9n, fee: 0n }),
  ),
]

test('default: every event has the same effect, and the history has every event of the manifest', async () => {
  await compare(everyEvent)
  const logs = everyEvent.flatMap(({ transactions }) => transactions.flat())
  const seen = new Set(logs.map(({ address, topics }) => `${address} ${topics[0]}`))
  const handled = deployment.subgraph.manifest.dataSources.flatMap(({ address, handlers }) =>
    handlers.map(({ topic }) => `${address} ${topic}`),
  )
  expect(handled.filter((one) => !seen.has(one))).toEqual([])
})

test('behavior: the manifest handles exactly the events that the embedded subgraph decodes', () => {
  const contracts = { pool, positions, denylisters: [listB, listA] }
  const data = `0x${'00'.repeat(32 * 20)}`
  const decoded = [pool, positions, listB, listA].flatMap((address) =>
    Object.entries(eventTopics).flatMap(([name, topic]) => {
      const one = {
        address,
        topics: [topic, pad(ann), pad(bob), pad('0x01')],
        data,
        transactionHash: '0x',
        logIndex: 0,
      }
      return isDecoded(one, contracts) ? [`${address} ${name}`] : []
    }),
  )
  const handled = deployment.subgraph.manifest.dataSources.flatMap(({ address, handlers }) =>
    handlers.map(({ event }) => `${address} ${event.name}`),
  )
  expect(handled.toSorted()).toEqual(decoded.toSorted())
})

test('behavior: the module exports every handler of the manifest, and no other', () => {
  const [module] = deployment.subgraph.modules.values()
  const exported = webAssembly.Module.exports(module!).map(({ name }) => name)
  const handlers = deployment.subgraph.manifest.dataSources.flatMap((source) =>
    source.handlers.map(({ handler }) => handler),
  )
  expect(exported.filter((name) => name.startsWith('handle')).toSorted()).toEqual([...new Set(handlers)].toSorted())
})

describe('boundaries', () => {
  test('behavior: the largest numbers of a word, and sums above it', async () => {
    const terms = { maturity: 2n ** 128n - 1n, coupon: uintMax, principal: uintMax, feeBPS: uintMax, partnerId }
    const changes = await compare([
      inOne(partnerCreated(uintMax), ...lend(ann, { ...terms, tokenId: uintMax })),
      inOne(...lend(ann, { ...terms, tokenId: uintMax - 1n }), dailyIncome(today - 1, [uintMax, uintMax])),
      // The income of the day after is negative.
      inOne(dailyIncome(today, [0n, 0n]), previousIncomes(today - 1, [[uintMax, uintMax]])),
      inOne(...claim(ann, { tokenId: uintMax, totalIncome: uintMax, fee: uintMax })),
    ])
    expect(changes[1]?.find(({ entity }) => entity === 'Account')?.set?.['activePrincipal']).toBe(String(2n * uintMax))
    expect(changes[2]?.some(({ set }) => set?.['floatingIncome'] === String(-uintMax))).toBe(true)
  })

  test('behavior: a UTC day ends after 23:59:59', async () => {
    const midnight = (today + 1) * 86_400
    const changes = await compare([
      { transactions: [lend(ann, { tokenId: 1n })], timestamp: midnight - 1 },
      { transactions: [lend(ann, { tokenId: 2n })], timestamp: midnight },
      { transactions: [claim(ann, { tokenId: 1n, totalIncome: 1n, fee: 0n })], timestamp: midnight + 86_399 },
      { transactions: [claim(ann, { tokenId: 2n, totalIncome: 1n, fee: 0n })], timestamp: midnight + 86_400 },
    ])
    const days = changes.map((of) => of.find(({ entity }) => entity === 'ProtocolDay')?.id)
    expect(days).toEqual([today, today + 1, today + 1, today + 2].map(String))
  })

  test('behavior: days up to the last that an Int can hold', async () => {
    await compare(inEach(dailyIncome(2 ** 31 - 2, [1n, 1n]), dailyIncome(0, [1n, 1n])))
    const { refused } = await compareMappings(deployment).apply(
      buildHistory([inOne(dailyIncome(2 ** 31 - 1, [1n, 1n]))])[0]!,
    )
    expect(refused?.graph).toContain('reports day 2147483647')
  })

  test('behavior: a partner is that of the lend, if it existed then', async () => {
    await compare([
      inOne(...lend(ann, { tokenId: 1n, partnerId }), partnerCreated(1n), ...lend(ann, { tokenId: 2n, partnerId })),
      inOne(
        ...claim(ann, { tokenId: 1n, totalIncome: 9n, fee: 3n }),
        ...claim(ann, { tokenId: 2n, totalIncome: 9n, fee: 3n }),
      ),
      inOne(partnerCreated(7n)),
    ])
  })

  test('behavior: a token that is sent on during the mint belongs to the last recipient', async () => {
    const mint = (tokenId: bigint, to: readonly string[]) => {
      const [minted, lent] = lend(ann, { tokenId }) as [Log, Log]
      return [minted, ...to.map((one) => transfer(ann, { to: one, tokenId })), lent]
    }
    const changes = await compare([
      { transactions: [mint(1n, [bob]), [...mint(2n, [bob, vault]), ...mint(3n, []), ...mint(4n, [ann])]] },
      inOne(...mint(5n, [bob]), transfer(bob, { to: ann, tokenId: 5n })),
      // A recipient can also send another token while one is minted.
      inOne(...mint(6n, []).toSpliced(1, 0, transfer(ann, { to: bob, tokenId: 3n }))),
      inOne(...claim(vault, { tokenId: 2n, totalIncome: 1n, fee: 0n })),
    ])
    const owners = changes[0]?.filter(({ entity }) => entity === 'PositionInfo').map(({ set }) => set?.['currentOwner'])
    expect(owners).toEqual([bob, vault, ann, ann])
    const sixth = changes[2]?.find(({ id }) => id === '6')?.set?.['currentOwner']
    expect(sixth).toBe(ann)
  })

  test('behavior: logs before the start block and of other contracts change nothing', async () => {
    const late = deploy({ ...chain, startBlock: 3 })
    const host = createHost(late.subgraph)
    const blocks = buildHistory([
      inOne(...lend(ann, { tokenId: 1n })),
      inOne(partnerCreated(1n)),
      inOne(partnerCreated(2n)),
    ])
    expect(blocks.map((block) => host.apply(block).length)).toEqual([0, 0, 1])
    const others = lend(ann, { tokenId: 1n }).map((one) => ({ ...one, address: vault }))
    expect(await compare([inOne(...others), inOne(log(pool, { topics: [], words: [] }))])).toEqual([[], []])
  })
})

test.each([
  ['one denylister of both tokens', { denylisters: { positions: listA, dollar: listA } }],
  ['a denylister of the position token only', { denylisters: { positions: listA, dollar: null } }],
  ['a denylister of the dollar only', { denylisters: { positions: null, dollar: listB } }],
  ['no denylister and an unknown signer', { denylisters: { positions: null, dollar: null }, signer: null }],
])('behavior: the same on a chain with %s', async (_, part) => {
  const changes = await compare(everyEvent, { deployment: deploy({ ...chain, ...part }) })
  expect(changes[0]?.[0]?.set?.['signer']).toBe('signer' in part ? null : signer)
})

test('behavior: a pool that is deployed after its position token has its signer from then on', async () => {
  const changes = await compare(
    inEach(
      pause(positions, eventTopics.Paused),
      limit(eventTopics.MinLendLimitUpdated, 1n),
      pause(pool, eventTopics.Paused),
    ),
    { deployedAt: 2 },
  )
  expect(changes.map(([pools]) => pools?.set?.['signer'])).toEqual([null, signer, signer])
})

describe('refusals', () => {
  const lent = inOne(...lend(ann, { tokenId: 1n }))
  test.each([
    ['a claim without a lend', claim(ann, { tokenId: 7n, totalIncome: 1n, fee: 0n }), 'its lend was not indexed'],
    ['a fee of an unknown partner', [partnerChange(PartnerFeeChanged, [0n, 5n])], 'its creation was not indexed'],
    [
      'an owner of an unknown partner',
      [partnerChange(PartnerOwnershipTransferred, [0n])],
      'its creation was not indexed',
    ],
    [
      'incomes without their sums',
      [log(pool, { topics: [eventTopics.UpdatePreviousFloatingIncome], words: [1n, 96n, 160n, 1n, 5n, 0n] })],
      'has 1 incomes and 0 sums',
    ],
    ['a day beyond all time', [dailyIncome(2 ** 40, [1n, 1n])], 'reports day 1099511627776'],
  ])('error: both mappings refuse %s and leave the block unapplied', async (_, logs, message) => {
    const before = lend(bob, { tokenId: 2n })
    const [first, second, third] = buildHistory([lent, inOne(...before, ...logs), inOne(...before)])
    const comparison = compareMappings(deployment)
    await comparison.apply(first!)
    const { refused } = await comparison.apply(second!)
    expect(refused?.ours).toContain(message)
    expect(refused?.graph).toContain(message)
    // The lend of the refused block is as if it had not been.
    const { changes } = await comparison.apply(third!)
    expect(changes.find(({ entity }) => entity === 'Pool')?.set?.['activePositions']).toBe(2)
    await comparison.finish()
  })

  test('behavior: graph-node skips a log that its ABI cannot decode, and the embedded subgraph refuses it', async () => {
    // No contract emits such a log: it comes from a faulty node. The embedded subgraph asks another node.
    const [minted, lent] = lend(ann, { tokenId: 1n }) as [Log, Log]
    const broken: readonly Log[] = [
      { ...lent, data: lent.data.slice(0, -2) },
      { ...lent, topics: lent.topics.slice(0, 2) },
      { ...minted, topics: minted.topics.slice(0, 3) },
    ]
    for (const one of broken) {
      const [block] = buildHistory([inOne(one)])
      expect(createHost(deployment.subgraph).apply(block!)).toEqual([])
      await expect(compareMappings(deployment).apply(block!)).rejects.toThrow('One mapping refuses block 1')
    }
  })
})

describe('random histories', () => {
  const runs = { seed: 324, endOnFailure: false }
  const check = async (blocks: readonly BlockLogs[], instances: 'one' | 'per-trigger') =>
    compareHistory(compareMappings(deployment, { instances }), blocks)

  test('behavior: valid histories have the same entities after every block', () => compareValid(100))

  test('behavior: 1,000 valid histories have them too', { tags: 'slow' }, () => compareValid(1_000))

  async function compareValid(numRuns: number) {
    const property = fc.asyncProperty(steps, async (random) => {
      const outcomes = await check(validHistory(random), 'one')
      expect(outcomes.some(({ refused }) => refused)).toBe(false)
    })
    await fc.assert(property, { ...runs, numRuns })
  }

  test('behavior: hostile histories have the same refusals, and the same entities after every block', () =>
    compareHostile(100))

  test('behavior: 1,000 hostile histories have them too', { tags: 'slow' }, () => compareHostile(1_000))

  async function compareHostile(numRuns: number) {
    let refusals = 0
    const property = fc.asyncProperty(steps, async (random) => {
      const outcomes = await check(hostileHistory(random), 'one')
      refusals += outcomes.filter(({ refused }) => refused).length
    })
    await fc.assert(property, { ...runs, numRuns })
    expect(refusals).toBeGreaterThan(numRuns / 2)
  }

  test('behavior: no handler needs the state of another: each has a new instance of the module', async () => {
    let changed = 0
    const property = fc.asyncProperty(steps, async (random) => {
      const outcomes = await check(validHistory(random), 'per-trigger')
      changed += outcomes.reduce((sum, { changes }) => sum + changes.length, 0)
    })
    await fc.assert(property, { ...runs, seed: 325, numRuns: 60 })
    expect(changed).toBeGreaterThan(500)
  })
})
