import { poolAbi } from '@tallystick/contracts'
import { fixedIncome, floatingIncome, type PositionTerms } from '@tallystick/core'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Chain, chainId, dollars, mine, noPartner, send, signNote, startChain, startsAt } from './chain.ts'

const secondsPerDay = 86_400n
// The days of the timeline: it begins two days after the chain, so that every block of it can be given its second.
const firstDay = startsAt / secondsPerDay + 2n
const dayCount = 40

type Action =
  | {
      readonly kind: 'lend'
      readonly at: bigint
      readonly principal: bigint
      readonly coupon: bigint
      readonly tenor: bigint
    }
  | { readonly kind: 'daily'; readonly at: bigint; readonly income: bigint }
  | { readonly kind: 'backfill'; readonly at: bigint; readonly daysLate: number; readonly incomes: readonly bigint[] }
  | { readonly kind: 'restate'; readonly at: bigint; readonly daysBack: number; readonly incomes: readonly bigint[] }
  | { readonly kind: 'check'; readonly at: bigint }

let chain: Chain
beforeAll(async () => {
  chain = await startChain()
  const { admin, wallets, pool, token } = chain
  const lender = wallets[0]!.address
  await send(chain, { from: lender, to: token, functionName: 'approve', args: [pool, 2n ** 256n - 1n] })
  const byAdmin = { from: admin.address, to: token }
  await send(chain, { ...byAdmin, functionName: 'updateMaxMintLimit', args: [10n ** 36n] })
  await send(chain, { ...byAdmin, functionName: 'mint', args: [lender, 10n ** 36n] })
  // Terms under a day make the pool's arithmetic underflow; its default keeps them out.
  await send(chain, { ...byAdmin, to: pool, functionName: 'setMinMaturityLimit', args: [secondsPerDay] })
})
afterAll(() => chain.stop())

const instant = fc.bigInt({ min: firstDay * secondsPerDay, max: (firstDay + BigInt(dayCount)) * secondsPerDay - 1n })
const income = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 10n ** 18n }))
const incomes = fc.array(income, { minLength: 1, maxLength: 9 })
const lend = fc.record({
  kind: fc.constant('lend' as const),
  at: instant,
  principal: fc.bigInt({ min: dollars(1_000), max: 10n ** 30n }),
  coupon: fc.bigInt({ min: 1n, max: 1_000n }),
  tenor: fc.oneof(
    fc.bigInt({ min: secondsPerDay, max: 30n * secondsPerDay }),
    fc.bigInt({ min: 1n, max: 20n }).map((days) => days * secondsPerDay),
  ),
})
// Whether a daily update is due, late or refused is the timeline's matter: it tries, as an operator's job would.
const daily = fc.record({ kind: fc.constant('daily' as const), at: instant, income })
const backfill = fc.record({ kind: fc.constant('backfill' as const), at: instant, daysLate: fc.nat(4), incomes })
// A restatement that ends before the last known day is refused unless it is small.
const restatedIncomes = fc.oneof(
  incomes,
  fc.array(fc.bigInt({ min: 0n, max: 10n ** 9n }), { minLength: 1, maxLength: 9 }),
)
const restate = fc.record({
  kind: fc.constant('restate' as const),
  at: instant,
  daysBack: fc.nat(12),
  incomes: restatedIncomes,
})
const check = fc.record({ kind: fc.constant('check' as const), at: instant })
const timeline = fc
  .tuple(
    fc.array(lend, { minLength: 25, maxLength: 25 }),
    fc.array(daily, { minLength: 0, maxLength: 2 * dayCount }),
    fc.array(backfill, { minLength: 0, maxLength: 6 }),
    fc.array(restate, { minLength: 10, maxLength: 20 }),
    fc.array(check, { minLength: 6, maxLength: 6 }),
  )
  .map((parts) => spread(parts.flat()))

test('behavior: random positions earn in core what they earn in the pool, to the wei', async () => {
  // One history of 25 positions.
  expect((await compareHistories(1)).checks).toBeGreaterThan(50)
})

test('behavior: 200 random positions do, and each kind of report occurs', { tags: 'slow' }, async () => {
  const seen = await compareHistories(8)
  // The property is worth what its cases are: each kind has to have occurred.
  expect(seen.checks).toBeGreaterThan(800)
  for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(20)
})

async function compareHistories(numRuns: number): Promise<World['seen']> {
  const seen = { checks: 0, floating: 0, partial: 0, missingDays: 0, restated: 0, refused: 0, refusedRestatements: 0 }
  await fc.assert(
    fc.asyncProperty(timeline, async (actions) => {
      const snapshot = await chain.client.snapshot()
      try {
        await live(actions, { positions: [], sums: new Map(), lastDay: 0n, seen })
      } finally {
        await chain.client.revert({ id: snapshot })
      }
    }),
    // Not shrunk: a minute of replaying the chain, when the seed alone brings the case back.
    { numRuns, seed: 324, endOnFailure: true },
  )
  return seen
}

/** What the pool should know, kept apart from it. */
type World = {
  readonly positions: { readonly tokenId: bigint; readonly terms: PositionTerms }[]
  /** Sum of the incomes up to a day. */
  readonly sums: Map<bigint, bigint>
  lastDay: bigint
  readonly seen: Record<
    'checks' | 'floating' | 'partial' | 'missingDays' | 'restated' | 'refused' | 'refusedRestatements',
    number
  >
}

async function live(actions: readonly Action[], world: World): Promise<void> {
  for (const action of actions) await perform(action, world)
  // A month after the last day everything has matured.
  await compare((firstDay + BigInt(dayCount) + 31n) * secondsPerDay, world)
}

async function perform(action: Action, world: World): Promise<void> {
  if (action.kind === 'lend') return openPosition(action, world)
  if (action.kind === 'check') return compare(action.at, world)
  const yesterday = action.at / secondsPerDay - 1n
  if (action.kind === 'daily') return updateDaily(action, world)
  const oldest = world.lastDay === 0n ? yesterday - 8n : world.lastDay + 1n
  const first = action.kind === 'backfill' ? oldest : world.lastDay - BigInt(action.daysBack)
  const last = action.kind === 'backfill' ? yesterday - BigInt(action.daysLate) : yesterday
  const given = action.incomes.slice(0, Math.max(0, Number(last - first) + 1))
  if (given.length === 0 || (action.kind === 'restate' && world.lastDay === 0n)) return
  const args = [first, BigInt(given.length), given]
  const call = { from: chain.admin.address, to: chain.pool, functionName: 'updatePreviousFloatingIncome' }
  const receipt = await mine(chain, { ...call, args, at: action.at })
  const lastGiven = first + BigInt(given.length) - 1n
  const total = given.reduce((sum, income) => sum + income, sumOf(world)(first - 1n))
  // Nothing is carried forward, so the next day's sum must not be smaller.
  const isRefused = lastGiven < world.lastDay && sumOf(world)(lastGiven + 1n) < total
  expect(receipt.status).toBe(isRefused ? 'reverted' : 'success')
  if (isRefused) {
    world.seen.refusedRestatements++
    return
  }
  given.forEach((income, index) => {
    const day = first + BigInt(index)
    if (world.sums.has(day)) world.seen.restated++
    world.sums.set(day, sumOf(world)(day - 1n) + income)
    if (day > world.lastDay) world.lastDay = day
  })
}

async function openPosition(action: Extract<Action, { kind: 'lend' }>, world: World): Promise<void> {
  const lender = chain.wallets[0]!.address
  const { at, principal, coupon } = action
  const maturityTimestamp = at + action.tenor
  const feed = { chainId, maturityTimestamp, coupon, validAfter: at - 1n, validBefore: at + 1n }
  const params = { beneficiary: lender, partnerId: noPartner, partnerFeeBPS: 0n, principal }
  const args = [params, feed, await signNote(chain, feed)]
  await send(chain, { from: lender, to: chain.pool, functionName: 'lend', args, at })
  const terms = { principal, coupon, lendTimestamp: at, maturityTimestamp }
  world.positions.push({ tokenId: BigInt(world.positions.length + 1), terms })
}

async function updateDaily(action: Extract<Action, { kind: 'daily' }>, world: World): Promise<void> {
  const yesterday = action.at / secondsPerDay - 1n
  const call = { from: chain.admin.address, to: chain.pool, functionName: 'updateDailyFloatingIncome' }
  const receipt = await mine(chain, { ...call, args: [action.income], at: action.at })
  const isDue = world.lastDay === 0n || world.lastDay === yesterday - 1n
  expect(receipt.status).toBe(isDue ? 'success' : 'reverted')
  if (!isDue) {
    world.seen.refused++
    return
  }
  world.sums.set(yesterday, sumOf(world)(yesterday - 1n) + action.income)
  world.lastDay = yesterday
}

async function compare(instantSeconds: bigint, world: World): Promise<void> {
  const accumulator = { lastUpdatedDay: world.lastDay, accFloatingIncome: sumOf(world) }
  const read = { address: chain.pool, abi: poolAbi, blockOverrides: { time: instantSeconds } } as const
  const answers = await Promise.all(
    world.positions.flatMap(({ tokenId }) => [
      chain.client.readContract({ ...read, functionName: 'calculateFixedIncome', args: [tokenId] }),
      chain.client.readContract({ ...read, functionName: 'calculateFloatingIncome', args: [tokenId] }),
    ]),
  )
  const computed = world.positions.flatMap(({ terms }) => [
    fixedIncome(terms, instantSeconds),
    floatingIncome(terms, { instantSeconds, ...accumulator }),
  ])
  expect(computed).toEqual(answers)
  for (const { terms } of world.positions) count(terms, instantSeconds, world)
}

/** Notes which corners of the arithmetic a comparison went through. */
function count(terms: PositionTerms, instantSeconds: bigint, { seen, lastDay }: World): void {
  const end = instantSeconds < terms.maturityTimestamp ? instantSeconds : terms.maturityTimestamp
  const [lendDay, endDay] = [terms.lendTimestamp / secondsPerDay, end / secondsPerDay]
  seen.checks++
  if (lastDay >= lendDay) seen.floating++
  if (lastDay >= endDay && endDay > lendDay) seen.partial++
  if (lastDay < endDay - 1n) seen.missingDays++
}

function sumOf({ sums }: World): (day: bigint) => bigint {
  return (day) => sums.get(day) ?? 0n
}

/** In the order of time, no two in one second: a block has one, and the chain wants the next block's to be later. */
function spread(actions: readonly Action[]): readonly Action[] {
  const sorted = actions.toSorted((one, other) => Number(one.at - other.at))
  let previous = 0n
  return sorted.map((action) => {
    previous = action.at > previous ? action.at : previous + 1n
    return { ...action, at: previous }
  })
}
