// @module-tag slow

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Chain, startChain, startsAt } from '../chain.ts'
import { expectContractState } from './contract-state.ts'
import { indexHistory, type OpenTest, openIndex, openTest, readHistory, readTables } from './index-history.ts'
import { liveHistory } from './live-history.ts'
import { approveAll } from './mine-block.ts'
import { everythingOf, type Model } from './naive-model.ts'
import { ask, fetchAllPositions, readEverything } from './queries.ts'
import { randomHistory } from './random-history.ts'

let chain: Chain
let opened: OpenTest
beforeAll(async () => {
  chain = await startChain()
  opened = await openTest('postgres')
  await approveAll(chain, startsAt + 600n)
})
afterAll(async () => {
  await chain.stop()
  await opened.close()
})

test('behavior: random histories give what a naive model and the contracts say, however they are cut', async () => {
  const seen = {
    positions: 0,
    moved: 0,
    claimed: 0,
    movedThenClaimed: 0,
    withPartner: 0,
    withFee: 0,
    incomes: 0,
    days: 0,
  }
  let runs = 0
  const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(randomHistory(40), sizes, async (plans, randomSizes) => {
      const snapshot = await chain.client.snapshot()
      try {
        const model = await liveHistory(chain, plans)
        await compare(model, { run: ++runs, randomSizes })
        count(model, seen)
      } finally {
        await chain.client.revert({ id: snapshot })
      }
    }),
    // Not shrunk: a minute of replaying the chain, when the seed alone brings the case back.
    { numRuns: 8, seed: 324, endOnFailure: true },
  )
  // The property is worth what its cases are: each kind has to have occurred.
  for (const [kind, number] of Object.entries(seen)) expect(number, kind).toBeGreaterThan(20)
})

// By the test above, an index in parts is that of all of its blocks at once: one index serves for all stops.
test('behavior: at 50 random blocks the answer is that of an index stopped there', async () => {
  const [plans] = fc.sample(randomHistory(90), { numRuns: 1, seed: 6 })
  await liveHistory(chain, plans!)
  const blocks = await readHistory(chain)
  const full = await indexHistory(opened.database, { chain, namespace: 'full', blocks })
  const numbers = blocks.map(({ block }) => block.number)
  const fifty = fc.shuffledSubarray(numbers, { minLength: 50, maxLength: 50 })
  const stops = fc.sample(fifty, { numRuns: 1, seed: 50 })[0]!.toSorted((a, b) => a - b)
  const stopped = await openIndex(opened.database, { chain, namespace: 'stopped' })
  const walletAddress = chain.wallets[0]!.address
  let next = 0
  for (const stop of stops) {
    await stopped.index(blocks.slice(next, stop + 1))
    next = stop + 1
    expect(stopped.subgraph.head?.number).toBe(stop)
    expect(await readEverything(full, stop)).toEqual(await readEverything(stopped.subgraph))
    const variables = { walletAddress }
    const query = fetchAllPositions.replace('where:', `block: { number: ${stop} }, where:`)
    expect(await ask(full, { query, variables })).toEqual(
      await ask(stopped.subgraph, { query: fetchAllPositions, variables }),
    )
  }
})

async function compare(
  model: Model,
  { run, randomSizes }: { readonly run: number; readonly randomSizes: readonly number[] },
) {
  const blocks = await readHistory(chain)
  const options = { chain, blocks }
  const { database } = opened
  const [whole] = await Promise.all([
    indexHistory(database, { ...options, namespace: `whole_${run}` }),
    indexHistory(database, { ...options, namespace: `single_${run}`, sizes: blocks.map(() => 1) }),
    indexHistory(database, { ...options, namespace: `cut_${run}`, sizes: randomSizes }),
  ])
  const entities = await readEverything(whole)
  expect(entities).toEqual(everythingOf(model))
  await expectContractState(chain, entities)
  const tables = await readTables(database, `whole_${run}`)
  expect(await readTables(database, `single_${run}`)).toEqual(tables)
  expect(await readTables(database, `cut_${run}`)).toEqual(tables)
}

type Seen = Record<
  'positions' | 'moved' | 'claimed' | 'movedThenClaimed' | 'withPartner' | 'withFee' | 'incomes' | 'days',
  number
>

function count({ positions, incomes }: Model, seen: Seen) {
  const moved = positions.filter(({ owner, initalOwner }) => owner !== initalOwner)
  seen.positions += positions.length
  seen.moved += moved.length
  seen.claimed += positions.filter(({ claim }) => claim).length
  seen.movedThenClaimed += moved.filter(({ claim }) => claim).length
  seen.withPartner += positions.filter(({ isPartnerKnown }) => isPartnerKnown).length
  seen.withFee += positions.filter(({ claim }) => claim && claim.fee > 0n).length
  seen.incomes += incomes.size
  seen.days += new Set(positions.map(({ lendTimestamp }) => lendTimestamp / 86_400n)).size
}
