import fc from 'fast-check'
import { dollars } from '../chain.ts'

const secondsPerDay = 86_400n

/** What may be tried: numbers are choices among what is possible when its turn comes, and it is left out if nothing is. */
export type Action =
  | {
      readonly kind: 'lend'
      readonly lender: number
      readonly beneficiary: number
      readonly principal: bigint
      readonly coupon: bigint
      readonly tenorDays: bigint
      readonly partner: number
    }
  | Move
  | { readonly kind: 'income'; readonly daysBack: number; readonly incomes: readonly bigint[] }
  | { readonly kind: 'createPartner'; readonly owner: number; readonly vault: number; readonly feeBPS: bigint }
  | {
      readonly kind: 'changePartner'
      readonly partner: number
      readonly field: 'owner' | 'vault' | 'feeBPS'
      readonly value: number
    }
  | {
      readonly kind: 'setting'
      readonly field: 'minLendLimit' | 'maxCouponLimit' | 'minMaturityLimit'
      readonly value: bigint
    }
export type Move = {
  readonly kind: 'transfer' | 'claim' | 'batchClaim'
  readonly position: number
  readonly to: number
}
export type BlockPlan = { readonly gap: bigint; readonly actions: readonly Action[] }

const choice = fc.nat(20)
const kind = <Kind extends string>(name: Kind) => fc.constant(name)
const lend = fc.record({
  kind: kind('lend'),
  lender: choice,
  beneficiary: choice,
  principal: fc.bigInt({ min: dollars(1_000), max: dollars(50_000) }),
  coupon: fc.bigInt({ min: 1n, max: 900n }),
  tenorDays: fc.bigInt({ min: 2n, max: 4n }),
  partner: choice,
})
const move = fc.record({
  kind: fc.constantFrom('transfer' as const, 'claim' as const, 'batchClaim' as const),
  position: choice,
  to: choice,
})
const income = fc.record({
  kind: kind('income'),
  daysBack: fc.nat(5),
  incomes: fc.array(fc.bigInt({ min: 0n, max: 10n ** 17n }), { minLength: 1, maxLength: 6 }),
})
const createPartner = fc.record({
  kind: kind('createPartner'),
  owner: choice,
  vault: choice,
  feeBPS: fc.bigInt({ min: 0n, max: 10_000n }),
})
const changePartner = fc.record({
  kind: kind('changePartner'),
  partner: choice,
  field: fc.constantFrom('owner' as const, 'vault' as const, 'feeBPS' as const),
  value: choice,
})
const setting = fc.record({
  kind: kind('setting'),
  field: fc.constantFrom('minLendLimit' as const, 'maxCouponLimit' as const, 'minMaturityLimit' as const),
  // Within what every lend here keeps to.
  value: fc.bigInt({ min: 900n, max: 2n * secondsPerDay }),
})
const action: fc.Arbitrary<Action> = fc.oneof(
  { arbitrary: lend, weight: 6 },
  { arbitrary: move, weight: 8 },
  { arbitrary: income, weight: 3 },
  { arbitrary: createPartner, weight: 2 },
  { arbitrary: changePartner, weight: 1 },
  { arbitrary: setting, weight: 1 },
)
const gap = fc.oneof(
  fc.constant(1n),
  fc.integer({ min: 1, max: 48 }).map((hours) => BigInt(hours) * 3_600n),
)

/** Histories of a number of blocks, each with up to five actions. */
export function randomHistory(blockCount: number): fc.Arbitrary<readonly BlockPlan[]> {
  const block = fc.record({ gap, actions: fc.array(action, { maxLength: 5 }) })
  return fc.array(block, { minLength: blockCount, maxLength: blockCount })
}
