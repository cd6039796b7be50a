import { type ClaimTerms, claimability } from '@tallystick/client'
import { createRandom, pick, type Random } from '@tallystick/workbench/random'
import { type Address, encodePacked, type Hex, keccak256 } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { lendCall } from './calls.ts'
import { balanceOf, type Chain, chainId, dollars, noPartner, send, startChain, startsAt } from './chain.ts'
import { failureOf } from './failure-of.ts'
import { openWallet } from './wallet.ts'

// Random positions are lent and claimed at random times, while days are reported late, in parts, or again.

const day = 86_400n
const firstDay = startsAt / day + 2n
const lendDays = 20
const tenorDaysMax = 14
const partnerFees = [1n, 777n, 10_000n]

type Action =
  | { readonly kind: 'lend'; readonly at: bigint; readonly id: number }
  | { readonly kind: 'claim'; readonly at: bigint; readonly id: number }
  | { readonly kind: 'report'; readonly at: bigint }

type Planned = Omit<ClaimTerms, 'lendTimestamp'> & { readonly partnerId: Hex }

let chain: Chain
let lender: Address
let snapshot: Hex
beforeAll(async () => {
  chain = await startChain()
  lender = chain.wallets[0]!.address
  for (const fee of partnerFees) {
    const args = [chain.wallets[2]!.address, fee]
    await send(chain, { from: chain.wallets[1]!.address, to: chain.pool, functionName: 'createPartner', args })
  }
  const approve = { from: lender, to: chain.token, functionName: 'approve', args: [chain.pool, 2n ** 255n] }
  await send(chain, approve)
  const approveAll = { from: lender, to: chain.positions, functionName: 'setApprovalForAll' }
  await send(chain, { ...approveAll, args: [chain.pool, true] })
  snapshot = await chain.client.snapshot()
})
afterAll(() => chain.stop())
beforeEach(async () => {
  await chain.client.revert({ id: snapshot })
  await chain.client.setAutomine(true)
  snapshot = await chain.client.snapshot()
})

test('behavior: what 60 random claims pay is what the SDK predicted, to the wei', async () => {
  const seen = await live(60, createRandom(33))
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0)
})

test('behavior: what 500 random claims pay is what the SDK predicted, to the wei', { tags: 'slow' }, async () => {
  const seen = await live(500, createRandom(500))
  // The comparison is worth what its cases are.
  const { restated, ...claims } = seen
  expect(restated).toBeGreaterThan(3)
  for (const [kind, count] of Object.entries(claims)) expect(count, kind).toBeGreaterThan(20)
})

type World = {
  readonly random: Random
  readonly planned: readonly Planned[]
  readonly positions: Map<number, { readonly tokenId: bigint; readonly terms: ClaimTerms }>
  /** Sum of the incomes up to a day. */
  readonly sums: Map<bigint, bigint>
  lastDay: bigint
  paid: bigint
  readonly seen: Record<'complete' | 'incomplete' | 'unreported' | 'severalDays' | 'restated' | 'fees', number>
}

async function live(count: number, random: Random): Promise<World['seen']> {
  const seen = { complete: 0, incomplete: 0, unreported: 0, severalDays: 0, restated: 0, fees: 0 }
  const { actions, planned } = plan(count, random)
  const world: World = { random, planned, positions: new Map(), sums: new Map(), lastDay: 0n, paid: 0n, seen }
  const before = await balanceOf(chain, lender)
  for (const action of actions) {
    if (action.kind === 'lend') await lend(action, world)
    else if (action.kind === 'claim') await claim(action, world)
    else await report(action.at, world)
  }
  expect(seen.complete + seen.incomplete).toBe(count)
  const principal = planned.reduce((sum, position) => sum + position.principal, 0n)
  expect((await balanceOf(chain, lender)) - before).toBe(world.paid - principal)
  return seen
}

function plan(count: number, random: Random) {
  const between = (min: number, max: number) => BigInt(Math.floor(min + random() * (max - min)))
  const ids = Array.from({ length: count }, (_, id) => id)
  const lentAt = ids.map(() => firstDay * day + between(0, lendDays * 86_400))
  const planned = ids.map((id): Planned => {
    const partner = pick(random, [undefined, 0, 1, 2])
    const owner = chain.wallets[1]!.address
    const partnerId =
      partner === undefined ? noPartner : keccak256(encodePacked(['address', 'uint256'], [owner, BigInt(partner)]))
    return {
      partnerId,
      partnerFeeBPS: partner === undefined ? 0n : (partnerFees[partner] as bigint),
      principal: dollars(1_000) + between(0, 2 ** 52) * 17_000_003n,
      coupon: between(1, 1_001),
      maturityTimestamp: lentAt[id]! + between(172_860, tenorDaysMax * 86_400),
    }
  })
  const claims = ids.map((id) => {
    const delay = between(0, pick(random, [21_600, 172_800, 864_000]))
    return { kind: 'claim', at: planned[id]!.maturityTimestamp + delay, id } as const
  })
  // After four days the reporter is silent for eight.
  const reports = Array.from({ length: lendDays + tenorDaysMax + 12 }, (_, index) => index)
    .filter((index) => index % 12 < 4)
    .flatMap((index) => [index, index])
    .map((index) => ({ kind: 'report', at: (firstDay + BigInt(index)) * day + between(60, 80_000) }) as const)
  const lends = ids.map((id) => ({ kind: 'lend', at: lentAt[id]!, id }) as const)
  return { actions: spread([...lends, ...claims, ...reports]), planned }
}

/** Sorts by time and leaves a few seconds between two actions, because a claim mines two blocks. */
function spread(actions: readonly Action[]): readonly Action[] {
  let previous = 0n
  return actions
    .toSorted((one, other) => Number(one.at - other.at))
    .map((action) => {
      previous = action.at > previous + 5n ? action.at : previous + 5n
      return { ...action, at: previous }
    })
}

async function lend({ id, at }: Action & { readonly id: number }, world: World): Promise<void> {
  const { partnerId, ...planned } = world.planned[id] as Planned
  const { coupon, maturityTimestamp, principal, partnerFeeBPS } = planned
  const note = { chainId, coupon, maturityTimestamp, validAfter: at - 1n, validBefore: at + 1n }
  await send(chain, await lendCall(chain, { lender, note, params: { partnerId, partnerFeeBPS, principal }, at }))
  const terms = { ...planned, lendTimestamp: at }
  world.positions.set(id, { tokenId: BigInt(world.positions.size + 1), terms })
}

async function claim({ id, at }: Action & { readonly id: number }, world: World): Promise<void> {
  const { tokenId, terms } = world.positions.get(id)!
  await chain.client.setNextBlockTimestamp({ timestamp: at })
  await chain.client.mine({ blocks: 1 })
  const { lastDay, sums, seen } = world
  const predicted = claimability(terms, {
    ...{ now: at, lastUpdatedDay: lastDay },
    accFloatingIncome: (asked) => sums.get(asked) ?? 0n,
  })
  const wallet = openWallet(chain, { account: lender })
  const isComplete = lastDay >= terms.maturityTimestamp / day
  if (!isComplete) {
    const refusal = await failureOf(wallet.claim({ tokenId }))
    expect([refusal.code, refusal.claimability]).toEqual(['income_not_reported', predicted])
  }
  const { position } = await wallet.claim({ tokenId, acceptMissingIncome: !isComplete })
  const { total, fee, net } = predicted.paidNow
  expect([position.totalIncome, position.fee, position.paid]).toEqual([total, fee, terms.principal + net])
  expect(predicted.status).toBe(isComplete ? 'complete' : 'income_not_reported')
  world.paid += position.paid
  seen[isComplete ? 'complete' : 'incomplete']++
  if (lastDay < terms.lendTimestamp / day) seen.unreported++
  if (lastDay + 1n < terms.maturityTimestamp / day) seen.severalDays++
  if (position.fee > 0n) seen.fees++
}

/** Reports none, some or all of the missing days, or the last reported ones again. */
async function report(at: bigint, world: World): Promise<void> {
  const { random, sums, lastDay, seen } = world
  const yesterday = at / day - 1n
  const isRestated = lastDay > firstDay && random() < 0.3
  const first = isRestated ? lastDay - 1n : lastDay === 0n ? yesterday : lastDay + 1n
  const missing = Number(yesterday - first) + 1
  const days = isRestated ? 2 : pick(random, [0, 0, missing, missing, missing - 1])
  if (days <= 0) return
  const incomes = Array.from(
    { length: days },
    () => BigInt(Math.floor(random() * 5)) * BigInt(Math.floor(random() * 2e16)),
  )
  const call = { from: chain.admin.address, to: chain.pool, functionName: 'updatePreviousFloatingIncome', at }
  await send(chain, { ...call, args: [first, BigInt(days), incomes] })
  for (const [index, income] of incomes.entries()) {
    const reported = first + BigInt(index)
    sums.set(reported, (sums.get(reported - 1n) ?? 0n) + income)
  }
  if (isRestated) seen.restated++
  else world.lastDay = first + BigInt(days) - 1n
}
