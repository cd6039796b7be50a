import { eventTopics } from '@tallystick/contracts/event-topics'
import { describe, expect, test } from 'vitest'
import {
  ann,
  blockOf,
  bob,
  claim,
  createMemory,
  dailyIncome,
  empty,
  hash,
  lend,
  limit,
  log,
  pad,
  partnerCreated,
  partnerId,
  pool,
  positions,
  run,
  startsAt,
  today,
  transfer,
  vault,
  zero,
} from '../../test/protocol-logs.ts'
import type { BlockLogs, LoadEntities, Log } from '../follow/mapping.ts'
import type { EntityChange } from '../store/collect-changes.ts'
import { createProtocolMapping } from './create-protocol-mapping.ts'

const uintMax = 2n ** 256n - 1n
const mapping = createProtocolMapping({ pool: pool.toUpperCase().replace('0X', '0x'), positions })
const map = (blocks: readonly BlockLogs[], load: LoadEntities = empty) => mapping.map(blocks, load, run)

test('default: indexes both contracts, and a block without logs has no changes', async () => {
  expect(mapping.addresses).toEqual([pool, positions])
  const blocks = [blockOf(1, []), blockOf(2, [])]
  expect(await map(blocks)).toEqual(blocks.map(({ block }) => ({ block, changes: [] })))
})

test('behavior: the largest numbers of a word are exact, and sums may exceed a word', async () => {
  const terms = { tokenId: uintMax, maturity: 2n ** 128n - 1n, coupon: uintMax, principal: uintMax, feeBPS: uintMax }
  const [mapped] = await map([
    blockOf(1, [
      partnerCreated(uintMax),
      ...lend(ann, { ...terms, partnerId }),
      ...lend(ann, { ...terms, tokenId: uintMax - 1n, partnerId }),
      limit(eventTopics.MinLendLimitUpdated, uintMax),
      dailyIncome(today - 1, [uintMax, uintMax]),
      ...claim(ann, { tokenId: uintMax, totalIncome: uintMax, fee: uintMax }),
      ...claim(ann, { tokenId: uintMax - 1n, totalIncome: uintMax, fee: 0n }),
    ]),
  ])
  const max = String(uintMax)
  const twice = String(2n * uintMax)
  expect(find(mapped?.changes, ['PositionInfo', max])).toEqual({
    id: max,
    tokenId: max,
    currentOwner: ann,
    initalOwner: ann,
    initiator: ann,
    coupon: max,
    principal: max,
    lendTimestamp: String(startsAt),
    maturityTimestamp: String(2n ** 128n - 1n),
    partnerFeeBPS: max,
    partnerId,
    status: 'Claimed',
    lendTransactionHash: hash,
    account: ann,
    partner: partnerId,
    pool,
    claimTimestamp: String(startsAt),
    claimTransactionHash: hash,
    claimBeneficiary: ann,
    totalIncome: max,
    fee: max,
  })
  const earned = { activePositions: 0, activePrincipal: '0', totalPrincipal: twice, totalIncome: twice, totalFees: max }
  expect(find(mapped?.changes, ['Account', ann])).toEqual({
    id: ann,
    ...earned,
    denylisted: false,
    denylistedBy: [],
  })
  expect(find(mapped?.changes, ['Pool', pool])).toMatchObject({ ...earned, minLendLimit: max })
  const figures = { floatingIncome: max, accFloatingIncome: max, updatedAt: String(startsAt) }
  expect(find(mapped?.changes, ['FloatingIncome', String(today - 1)])).toMatchObject({ day: today - 1, ...figures })
  expect(find(mapped?.changes, ['Partner', partnerId])).toMatchObject({
    feeBPS: max,
    activePrincipal: '0',
    totalFees: max,
  })
  expect(find(mapped?.changes, ['ProtocolDay', String(today)])).toEqual({
    id: String(today),
    day: today,
    lent: twice,
    claimed: twice,
    income: twice,
    positionsOpened: 2,
    positionsClosed: 2,
    activePrincipal: '0',
  })
})

test('behavior: a block has one change per entity', async () => {
  const events = [...lend(ann, { tokenId: 1n }), transfer(ann, { to: bob, tokenId: 1n }), ...lend(bob, { tokenId: 2n })]
  const [mapped] = await map([blockOf(1, events)])
  const changed = mapped?.changes.map(({ entity, id }) => `${entity} ${id}`)
  expect(changed).toEqual([
    'PositionInfo 1',
    'PositionInfo 2',
    `Account ${ann}`,
    `Account ${bob}`,
    `Pool ${pool}`,
    `ProtocolDay ${today}`,
  ])
  expect(find(mapped?.changes, ['Account', ann])).toMatchObject({
    activePositions: 0,
    activePrincipal: '0',
    totalPrincipal: '1000',
  })
  expect(find(mapped?.changes, ['Account', bob])).toMatchObject({
    activePositions: 2,
    activePrincipal: '2000',
    totalPrincipal: '1000',
  })
})

test('behavior: a recipient that transfers its token during the mint is the initial owner, not the current one', async () => {
  const [mint, lent] = lend(ann, { tokenId: 1n }) as [Log, Log]
  const [mapped] = await map([blockOf(1, [mint, transfer(ann, { to: bob, tokenId: 1n }), lent])])
  expect(find(mapped?.changes, ['PositionInfo', '1'])).toMatchObject({
    initalOwner: ann,
    currentOwner: bob,
    account: bob,
  })
  expect(find(mapped?.changes, ['Account', ann])).toMatchObject({ activePositions: 0, totalPrincipal: '1000' })
  expect(find(mapped?.changes, ['Account', bob])).toMatchObject({ activePositions: 1, totalPrincipal: '0' })
})

test('behavior: a transfer to the holder itself changes no sum', async () => {
  const [, mapped] = await map([
    blockOf(1, lend(ann, { tokenId: 1n })),
    blockOf(2, [transfer(ann, { to: ann, tokenId: 1n })]),
  ])
  expect(find(mapped?.changes, ['Account', ann])).toMatchObject({ activePositions: 1, activePrincipal: '1000' })
})

test('behavior: a partner id that is zero, unknown or registered later is not a partner', async () => {
  const lends = [
    ...lend(ann, { tokenId: 1n }),
    ...lend(ann, { tokenId: 2n, partnerId }),
    partnerCreated(10n),
    ...lend(ann, { tokenId: 3n, partnerId }),
  ]
  const mapped = await map([blockOf(1, lends), blockOf(2, claim(ann, { tokenId: 2n, totalIncome: 5n, fee: 0n }))])
  const partners = ['1', '2', '3'].map((id) => find(mapped[0]?.changes, ['PositionInfo', id])?.['partner'])
  expect(partners).toEqual([null, null, partnerId])
  expect(find(mapped[0]?.changes, ['Partner', partnerId])).toMatchObject({ activePrincipal: '1000' })
  expect(find(mapped[1]?.changes, ['Partner', partnerId])).toBeUndefined()
})

test('behavior: other contracts, other events and logs without topics are ignored', async () => {
  const strange = [
    ...lend(ann, { tokenId: 1n }).map((event) => ({ ...event, address: vault })),
    log(pool, { topics: [`0x${'12'.repeat(32)}`], words: [1n] }),
    log(pool, { topics: [eventTopics.Transfer, pad(zero), pad(ann), pad('0x01')], words: [] }),
    log(positions, { topics: [eventTopics.FeedSignatureVerifier__SignerChanged, pad(bob)], words: [] }),
    log(positions, { topics: [eventTopics.MinLendLimitUpdated], words: [1n] }),
    log(positions, { topics: [eventTopics.AddedToDenylist, pad(bob)], words: [] }),
    log(pool, { topics: [eventTopics.AddedToDenylist, pad(bob)], words: [] }),
    log(vault, { topics: [eventTopics.AddedToDenylist, pad(bob)], words: [] }),
    log(vault, { topics: [eventTopics.Paused], words: [1n] }),
    log(positions, { topics: [], words: [] }),
  ]
  const [mapped] = await map([blockOf(1, strange)])
  expect(mapped?.changes).toEqual([])
})

test('behavior: each contract has its own pause', async () => {
  const pause = (by: string, topic: string) => log(by, { topics: [topic], words: [1n] })
  const { Paused, Unpaused } = eventTopics
  const blocks = [
    [pause(positions, Paused)],
    [pause(pool, Paused)],
    [pause(positions, Unpaused)],
    [pause(pool, Unpaused)],
    [pause(positions, Paused), pause(positions, Unpaused), pause(pool, Paused)],
  ].map((logs, index) => blockOf(index + 1, logs))
  const mapped = await map(blocks)
  const pauses = mapped.map(({ changes }) => [changes[0]?.set?.['paused'], changes[0]?.set?.['positionTokenPaused']])
  expect(pauses).toEqual([
    [false, true],
    [true, true],
    [true, false],
    [false, false],
    [true, false],
  ])
})

test('behavior: stored entities are loaded with at most six statements, and new positions are not loaded', async () => {
  const asked: [string, readonly string[]][] = []
  const memory = createMemory()
  const load: LoadEntities = async (entity, ids) => {
    asked.push([entity, ids])
    return memory.load(entity, ids)
  }
  const before = await map([blockOf(1, [partnerCreated(10n), ...lend(ann, { tokenId: 1n, partnerId })])], load)
  memory.keep(before.flatMap(({ changes }) => changes))
  asked.length = 0
  const later = [
    blockOf(2, [...lend(bob, { tokenId: 2n }), transfer(bob, { to: ann, tokenId: 2n })]),
    blockOf(3, [...claim(ann, { tokenId: 1n, totalIncome: 50n, fee: 5n }), dailyIncome(today - 1, [1n, 1n])]),
  ]
  const mapped = await map(later, load)
  expect(asked.map(([entity]) => entity).toSorted()).toEqual([
    'Account',
    'FloatingIncome',
    'Partner',
    'Pool',
    'PositionInfo',
    'ProtocolDay',
  ])
  expect(asked.find(([entity]) => entity === 'PositionInfo')?.[1]).toEqual(['1'])
  expect(find(mapped[1]?.changes, ['Partner', partnerId])).toMatchObject({ activePrincipal: '0', totalFees: '5' })
  expect(find(mapped[1]?.changes, ['Account', ann])).toMatchObject({
    activePositions: 1,
    totalIncome: '50',
    totalFees: '5',
  })
})

describe('events that contradict the index are applied and reported', () => {
  const reportsOf = async (logs: readonly Log[], load: LoadEntities = empty) => {
    const reports: string[] = []
    const [mapped] = await mapping.map([blockOf(7, logs)], load, run, ({ message }) => reports.push(message))
    return { reports, changes: mapped?.changes }
  }

  test('default: consecutive lends, a transfer of a known position and a continued sum contradict nothing', async () => {
    const lends = [...lend(ann, { tokenId: 1n }), ...lend(ann, { tokenId: 2n })]
    const logs = [...lends, transfer(ann, { to: bob, tokenId: 1n }), dailyIncome(today, [5n, 5n])]
    expect((await reportsOf(logs)).reports).toEqual([])
  })

  test('behavior: a gap in the token ids', async () => {
    const { reports, changes } = await reportsOf(lend(ann, { tokenId: 3n }))
    const gap = `Position 3 was lent in transaction ${hash} of block 7, but the lend of position 2 was not indexed.`
    expect(reports).toEqual([gap])
    expect(find(changes, ['PositionInfo', '3'])).toMatchObject({ status: 'Active' })
  })

  test('behavior: a transfer of an unknown position', async () => {
    const { reports } = await reportsOf([transfer(ann, { to: bob, tokenId: 4n })])
    expect(reports).toEqual([`Position 4 was transferred by ${ann}, but its lend was not indexed.`])
  })

  test('behavior: a sum of floating income that continues another one', async () => {
    const { reports, changes } = await reportsOf([dailyIncome(today, [5n, 12n])])
    const other = `The pool continued the floating income of day ${today - 1} from 7, but the index has 0.`
    expect(reports).toEqual([other])
    expect(find(changes, ['FloatingIncome', String(today)])).toMatchObject({ accFloatingIncome: '12' })
  })
})

test('error: a claim or partner change whose origin was not indexed is refused', async () => {
  const claims = claim(ann, { tokenId: 7n, totalIncome: 1n, fee: 0n })
  await expect(map([blockOf(1, claims)])).rejects.toThrow(
    `Position 7 was claimed in transaction ${hash} of block 1, but its lend was not indexed. The RPC left out logs, or startBlock is after the pool's deployment.`,
  )
  const changed = log(pool, { topics: [eventTopics.PartnerFeeChanged], words: [BigInt(partnerId), 5n] })
  await expect(map([blockOf(1, [changed])])).rejects.toThrow(`Partner ${partnerId} was changed`)
})

test('error: a truncated log is refused', async () => {
  const cut = lend(ann, { tokenId: 1n }).map((event) => ({ ...event, data: event.data.slice(0, -2) }))
  await expect(map([blockOf(1, cut)])).rejects.toThrow(
    `Log 0 of transaction ${hash} with topic ${eventTopics.Lend} has no word 5 in its data. Read it from another node.`,
  )
  const topics = [eventTopics.Transfer, pad(zero), pad(ann)]
  const short = log(positions, { topics, words: [1n] })
  await expect(map([blockOf(1, [short])])).rejects.toThrow('has no topic 3')
})

function find(changes: readonly EntityChange[] | undefined, [entity, id]: readonly [string, string]) {
  return changes?.find((change) => change.entity === entity && change.id === id)?.set
}
