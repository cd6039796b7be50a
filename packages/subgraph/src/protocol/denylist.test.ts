import { type RpcCall, RpcError } from '@tallystick/chain'
import { eventTopics } from '@tallystick/contracts/event-topics'
import { expect, test } from 'vitest'
import {
  ann,
  blockOf,
  bob,
  createMemory,
  lend,
  limit,
  log,
  pad,
  pool,
  positions,
  run,
  runOn,
} from '../../test/protocol-logs.ts'
import type { LoadEntities, RunOnRpc } from '../follow/mapping.ts'
import { createProtocolMapping } from './create-protocol-mapping.ts'
import { openProtocolMapping } from './open-protocol-mapping.ts'

const [listA, listB, dollar] = ['7', '8', '9'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string]
const added = (by: string, account: string) =>
  log(by, { topics: [eventTopics.AddedToDenylist, pad(account)], words: [] })
const removed = (by: string, account: string) =>
  log(by, { topics: [eventTopics.RemovedFromDenylist, pad(account)], words: [] })

test('default: an account is denylisted while its denylister lists it, with or without positions', async () => {
  const mapping = createProtocolMapping({ pool, positions, denylisters: { positions: listA, dollar: listA } })
  expect(mapping.addresses).toEqual([pool, positions, listA])
  const memory = createMemory()
  const accountsAfter = async (logs: Parameters<typeof blockOf>[1]) => {
    const [mapped] = await mapping.map([blockOf(1, logs)], memory.load, run)
    memory.keep(mapped!.changes)
    return [...(await memory.load('Account', [ann, bob])).values()]
  }
  const listed = { denylisted: true, denylistedBy: [listA] }
  const unlisted = { denylisted: false, denylistedBy: [] }
  expect(await accountsAfter([...lend(ann, { tokenId: 1n }), added(listA, bob)])).toMatchObject([
    { id: ann, activePositions: 1, ...unlisted },
    { id: bob, activePositions: 0, totalPrincipal: '0', ...listed },
  ])
  expect(await accountsAfter([added(listA, ann), added(listA, ann), removed(listA, bob)])).toMatchObject([
    { id: ann, activePositions: 1, ...listed },
    { id: bob, ...unlisted },
  ])
  expect(await accountsAfter([...lend(ann, { tokenId: 2n }), removed(listA, bob)])).toMatchObject([
    { id: ann, activePositions: 2, ...listed },
    { id: bob, ...unlisted },
  ])
})

test('behavior: with two denylisters an account is listed until both have removed it', async () => {
  const mapping = createProtocolMapping({ pool, positions, denylisters: { positions: listB, dollar: listA } })
  expect(mapping.addresses).toEqual([pool, positions, listB, listA])
  const memory = createMemory()
  const listings = [added(listB, ann), added(listA, ann), removed(listB, ann), added(listB, ann), removed(listA, ann)]
  const blocks = [...listings, removed(listB, ann)].map((listing, index) => blockOf(index + 1, [listing]))
  const by: unknown[] = []
  // One call per block, so that every state was stored and loaded.
  for (const block of blocks) {
    const [mapped] = await mapping.map([block], memory.load, run)
    memory.keep(mapped!.changes)
    by.push([mapped?.changes[0]?.set?.['denylisted'], mapped?.changes[0]?.set?.['denylistedBy']])
  }
  expect(by).toEqual([
    [true, [listB]],
    [true, [listA, listB]],
    [true, [listA]],
    [true, [listA, listB]],
    [true, [listB]],
    [false, []],
  ])
})

const selectors = { denylister: '0xbcc76c60', paraUSD: '0x6dde5a8d' }

/** Runs work on a node whose position token and dollar have these denylisters. */
function runWith(denylisters: { readonly positions?: string; readonly dollar?: string }): RunOnRpc {
  const getters: Readonly<Record<string, string | undefined>> = {
    [`${positions} ${selectors.denylister}`]: denylisters.positions,
    [`${pool} ${selectors.paraUSD}`]: dollar,
    [`${dollar} ${selectors.denylister}`]: denylisters.dollar,
  }
  return runOn(({ params }: RpcCall) => {
    const [{ to, data }] = params as [{ to: string; data: string }]
    const value = getters[`${to} ${data}`]
    if (value === undefined) throw new RpcError({ kind: 'error', message: 'execution reverted', code: 3, data: '0x' })
    return pad(value)
  })
}

async function open(denylisters: Parameters<typeof runWith>[0], load: LoadEntities) {
  const warnings: unknown[] = []
  const warn = (details: object, message: string) => warnings.push([message, details])
  const log = { info: () => undefined, warn, error: () => undefined }
  const index = { load, execute: async () => ({}), findVersions: async () => undefined }
  const mapping = await openProtocolMapping({ pool, positions })({
    run: runWith(denylisters),
    load,
    index,
    blocks: undefined,
    log,
  })
  return { mapping, warnings }
}

test('behavior: the denylisters are read from the tokens and recorded with the pool', async () => {
  const memory = createMemory()
  const { mapping, warnings } = await open({ positions: listA, dollar: listB }, memory.load)
  expect(mapping.addresses).toEqual([pool, positions, listA, listB])
  const [mapped] = await mapping.map([blockOf(1, [limit(eventTopics.MinLendLimitUpdated, 1n)])], memory.load, run)
  expect(mapped?.changes[0]?.set).toMatchObject({ id: pool, denylister: listA, dollarDenylister: listB })
  memory.keep(mapped!.changes)
  expect((await open({ positions: listA, dollar: listB }, memory.load)).warnings).toEqual([])
  expect(warnings).toEqual([])
})

test('behavior: tokens without a denylister are not a failure', async () => {
  const memory = createMemory()
  const { mapping } = await open({}, memory.load)
  expect(mapping.addresses).toEqual([pool, positions])
  const [mapped] = await mapping.map([blockOf(1, [limit(eventTopics.MinLendLimitUpdated, 1n)])], memory.load, run)
  expect(mapped?.changes[0]?.set).toMatchObject({ denylister: null, dollarDenylister: null })
})

test('behavior: the list of a denylister that changed is taken over with the next block', async () => {
  const memory = createMemory()
  const { mapping } = await open({ positions: listA, dollar: listA }, memory.load)
  const [mapped] = await mapping.map([blockOf(1, [limit(eventTopics.MinLendLimitUpdated, 1n)])], memory.load, run)
  memory.keep(mapped!.changes)
  const reopened = await open({ positions: listB, dollar: listA }, memory.load)
  expect(reopened.mapping.addresses).toEqual([pool, positions, listB, listA])
  const [next] = await reopened.mapping.map([blockOf(2, [])], memory.load, run)
  expect(next?.changes).toMatchObject([{ entity: 'Pool', set: { denylister: listB, dollarDenylister: listA } }])
  expect(reopened.warnings).toEqual([
    [
      expect.stringContaining('denylister changed'),
      { indexed: { positions: listA, dollar: listA }, current: { positions: listB, dollar: listA } },
    ],
  ])
})
