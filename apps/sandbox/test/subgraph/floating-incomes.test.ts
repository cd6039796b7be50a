// @module-tag slow

import { poolAbi } from '@tallystick/contracts'
import { floatingIncome } from '@tallystick/core'
import type { StoredEntity } from '@tallystick/subgraph'
import fc from 'fast-check'
import { type Address, getAbiItem, parseEventLogs, type TransactionReceipt } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Chain, startChain, startsAt } from '../chain.ts'
import { type AttemptBlock, callOf, floatingHistory } from './floating-history.ts'
import { openMapping } from './index-history.ts'
import { approveAll, mineReceipts } from './mine-block.ts'

const secondsPerDay = 86_400n

let chain: Chain
beforeAll(async () => {
  chain = await startChain()
  await approveAll(chain, startsAt + 600n)
})
afterAll(() => chain.stop())

type Day = Record<'lent' | 'claimed' | 'income' | 'activePrincipal', bigint> &
  Record<'positionsOpened' | 'positionsClosed', number>

/** The entities of an index without history, and what the receipts of the history say. */
type World = {
  readonly entities: Map<string, StoredEntity>
  readonly days: Map<bigint, Day>
  readonly index: (block: bigint) => Promise<number>
}
type Seen = Record<'daily' | 'backfilled' | 'restated' | 'rejected' | 'incomes' | 'claims', number>

test('behavior: after any order of daily, late and restated reports the index agrees with the contract', async () => {
  const seen: Seen = { daily: 0, backfilled: 0, restated: 0, rejected: 0, incomes: 0, claims: 0 }
  await fc.assert(
    fc.asyncProperty(floatingHistory(45), async (history) => {
      const snapshot = await chain.client.snapshot()
      try {
        await live(history, seen)
      } finally {
        await chain.client.revert({ id: snapshot })
      }
    }),
    // Not shrunk: the seed alone brings the case back.
    { numRuns: 8, seed: 15, endOnFailure: true },
  )
  // The property is worth what its cases are: each kind has to have occurred.
  for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(20)
})

async function live(history: readonly AttemptBlock[], seen: Seen): Promise<void> {
  const world = await openWorld()
  let at = startsAt + 2n * secondsPerDay
  for (const [number, { gap, attempts }] of history.entries()) {
    at += gap
    const owners = positionsOf(world).map(({ currentOwner }) => currentOwner as Address)
    const lastDay = BigInt((poolOf(world)['lastFloatingIncomeDay'] as number | null) ?? 0)
    const calls = []
    for (const attempt of attempts) calls.push(await callOf(chain, { attempt, at, owners, lastDay }))
    const receipts = await mineReceipts(chain, { at, calls })
    const accepted = receipts.filter(({ status }) => status === 'success')
    const events = eventsOf(accepted)
    addToDays(world, { at, events })
    const changes = await world.index(await chain.client.getBlockNumber())
    if (accepted.length === 0) expect(changes).toBe(0)
    seen.rejected += attempts.filter(
      ({ kind }, i) => /daily|late|previous/.test(kind) && !accepted.includes(receipts[i]!),
    ).length
    countReports(seen, { world, events })
    // Reading the contract takes most of the time.
    if (number % 3 === 2) await expectContract(world, { at, seen })
  }
}

async function openWorld(): Promise<World> {
  const entities = new Map<string, StoredEntity>()
  const load = async (entity: string, ids: readonly string[]) =>
    new Map(ids.flatMap((id) => (entities.has(`${entity} ${id}`) ? [[id, entities.get(`${entity} ${id}`)!]] : [])))
  const { mapping, run } = await openMapping(chain, load)
  let next = 0n
  const index = async (last: bigint) => {
    const numbers = Array.from({ length: Number(last - next) + 1 }, (_, i) => next + BigInt(i))
    const blocks = await Promise.all(numbers.map((blockNumber) => chain.client.getBlock({ blockNumber })))
    const logs = await chain.client.getLogs({ fromBlock: next, toBlock: last })
    next = last + 1n
    const mapped = await mapping.map(
      blocks.map(({ number, hash, parentHash, timestamp }) => ({
        block: { number: Number(number), hash, parentHash, timestamp: Number(timestamp) },
        logs: logs.filter(({ blockNumber }) => blockNumber === number),
      })),
      load,
      run,
    )
    for (const { entity, id, set } of mapped.flatMap(({ changes }) => changes)) entities.set(`${entity} ${id}`, set!)
    return mapped.at(-1)!.changes.length
  }
  await index(await chain.client.getBlockNumber())
  return { entities, days: new Map(), index }
}

/** Adds what the Lend and Claim events of a block say to its UTC day. */
function addToDays({ days }: World, { at, events }: { readonly at: bigint; readonly events: Events }): void {
  const day = at / secondsPerDay
  for (const { eventName, args } of events) {
    if (eventName !== 'Lend' && eventName !== 'Claim') continue
    const activePrincipal = [...days.values()].at(-1)?.activePrincipal ?? 0n
    const none = { lent: 0n, claimed: 0n, income: 0n, positionsOpened: 0, positionsClosed: 0 }
    const of = { ...none, ...days.get(day), activePrincipal }
    if (eventName === 'Lend') {
      of.lent += args.principal
      of.positionsOpened += 1
      of.activePrincipal += args.principal
    } else {
      of.claimed += args.principal
      of.income += args.totalIncome
      of.positionsClosed += 1
      of.activePrincipal -= args.principal
    }
    days.set(day, of)
  }
}

function countReports(seen: Seen, { world, events }: { readonly world: World; readonly events: Events }): void {
  for (const { eventName, args } of events) {
    if (eventName === 'UpdateDailyFloatingIncome') seen.daily += 1
    if (eventName === 'Claim') seen.claims += 1
    if (eventName !== 'UpdatePreviousFloatingIncome') continue
    const isLast = Number(args.firstDay) + args.floatingIncomes.length - 1 === poolOf(world)['lastFloatingIncomeDay']
    seen[isLast ? 'backfilled' : 'restated'] += 1
  }
}

/** Compares days, incomes and open positions with what the contract says at the head of the chain. */
async function expectContract(world: World, { at, seen }: { readonly at: bigint; readonly seen: Seen }): Promise<void> {
  const pool = { address: chain.pool, abi: poolAbi } as const
  const read = (day: bigint) => chain.client.readContract({ ...pool, functionName: 'accFloatingIncome', args: [day] })
  const lastDay = await chain.client.readContract({ ...pool, functionName: 'lastFloatingIncomeUpdateDay' })
  expect(poolOf(world)['lastFloatingIncomeDay'] ?? 0).toBe(Number(lastDay))
  const today = at / secondsPerDay
  const first = startsAt / secondsPerDay - 10n
  const days = Array.from({ length: Number(today - first) + 1 }, (_, index) => first + BigInt(index))
  const sums = await Promise.all([first - 1n, ...days].map(read))
  const ofIndex = days.map((day) => world.entities.get(`FloatingIncome ${day}`))
  days.forEach((day, index) => {
    const [before, sum] = [sums[index]!, sums[index + 1]!]
    const entity = ofIndex[index]
    // Without an entity the day was never reported, and the contract has nothing either.
    if (!entity) expect([day, sum]).toEqual([day, 0n])
    else {
      const { accFloatingIncome, floatingIncome: income } = entity
      expect([day, accFloatingIncome, income]).toEqual([day, String(sum), String(sum - before)])
    }
  })
  await expectPositions(world, { at, lastDay, seen })
  const texts = [...world.days].map(([day, of]) => [
    `ProtocolDay ${day}`,
    Object.fromEntries(
      Object.entries(of).map(([name, value]) => [name, typeof value === 'bigint' ? `${value}` : value]),
    ),
  ])
  for (const [id, of] of texts as [string, object][]) expect(world.entities.get(id)).toMatchObject(of)
  const isDay = (id: string) => id.startsWith('ProtocolDay ')
  expect([...world.entities.keys()].filter(isDay)).toHaveLength(world.days.size)
}

async function expectPositions(
  world: World,
  { at, lastDay, seen }: { readonly at: bigint; readonly lastDay: bigint; readonly seen: Seen },
): Promise<void> {
  const accFloatingIncome = (day: bigint) =>
    BigInt((world.entities.get(`FloatingIncome ${day}`)?.['accFloatingIncome'] as string | undefined) ?? 0)
  const open = positionsOf(world).filter(({ status }) => status === 'Active')
  const accumulator = { lastUpdatedDay: lastDay, accFloatingIncome, instantSeconds: at }
  await Promise.all(
    open.map(async ({ tokenId, principal, lendTimestamp, maturityTimestamp }) => {
      const call = { address: chain.pool, abi: poolAbi, functionName: 'calculateFloatingIncome' } as const
      const paid = await chain.client.readContract({
        ...call,
        args: [BigInt(tokenId as string)],
        blockOverrides: { time: at },
      })
      const terms = { principal, lendTimestamp, maturityTimestamp } as Record<string, string>
      const computed = floatingIncome(
        {
          principal: BigInt(terms['principal']!),
          lendTimestamp: BigInt(terms['lendTimestamp']!),
          maturityTimestamp: BigInt(terms['maturityTimestamp']!),
        },
        accumulator,
      )
      expect([tokenId, computed]).toEqual([tokenId, paid])
      if (paid > 0n) seen.incomes += 1
    }),
  )
}

// Without the other events, because viem hashes the signature of each one for every log.
const countedEvents = [
  getAbiItem({ abi: poolAbi, name: 'Lend' }),
  getAbiItem({ abi: poolAbi, name: 'Claim' }),
  getAbiItem({ abi: poolAbi, name: 'UpdateDailyFloatingIncome' }),
  getAbiItem({ abi: poolAbi, name: 'UpdatePreviousFloatingIncome' }),
] as const

type Events = ReturnType<typeof eventsOf>

function eventsOf(receipts: readonly TransactionReceipt[]) {
  return receipts.flatMap(({ logs }) => parseEventLogs({ abi: countedEvents, logs }))
}

function positionsOf({ entities }: World): readonly StoredEntity[] {
  const found = [...entities].filter(([id]) => id.startsWith('PositionInfo ')).map(([, entity]) => entity)
  return found.sort((a, b) => Number(a['tokenId']) - Number(b['tokenId']))
}

function poolOf({ entities }: World): StoredEntity {
  return entities.get(`Pool ${chain.pool.toLowerCase()}`)!
}
