import { floorCents } from '@tallystick/ui'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amountsOfActive, amountsOfClaimed, sumHoldings } from './holding-amounts.ts'

const amount = fc.bigInt({ min: 0n, max: 10n ** 30n })
const activeHolding = fc
  .record({ principal: amount, fixed: amount, floating: amount, partnerFeeBPS: fc.bigInt({ min: 0n, max: 10_000n }) })
  .map(({ principal, partnerFeeBPS, ...accrued }) => ({
    isClaimed: false,
    amounts: amountsOfActive({ principal, partnerFeeBPS }, accrued),
  }))
const claimedHolding = fc
  .record({ principal: amount, totalIncome: amount, fee: amount })
  .map(({ principal, ...claim }) => ({ isClaimed: true, amounts: amountsOfClaimed(principal, claim) }))

test('behavior: every row, every column and the totals add up as they are shown', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(activeHolding, claimedHolding), { maxLength: 30 }), (holdings) => {
      let [lent, fixed, floating, fees, claimed] = [0n, 0n, 0n, 0n, 0n]
      for (const { isClaimed, amounts } of holdings) {
        const { principal, income, paidIncome, payout } = amounts
        if (income) {
          expect(income.net.cents).toBe(income.fixed.cents + income.floating.cents - income.fee.cents)
          fixed += income.fixed.cents
          floating += income.floating.cents
          fees += income.fee.cents
        }
        if (!isClaimed) lent += principal.cents
        claimed += paidIncome?.cents ?? 0n
        expect(payout?.cents).toBe(principal.cents + (income?.net ?? paidIncome)!.cents)
        // What a claim pays is shown to the cent.
        expect(payout?.cents).toBe(floorCents(payout!.exact))
      }
      const { lent: shownLent, accrued, claimed: shownClaimed } = sumHoldings(holdings)
      expect([shownLent.cents, shownClaimed.cents]).toEqual([lent, claimed])
      expect([accrued.fixed.cents, accrued.floating.cents, accrued.fee.cents]).toEqual([fixed, floating, fees])
      expect(accrued.net.cents).toBe(fixed + floating - fees)
    }),
    { seed: 17 },
  )
})

test('behavior: a principal of whole cents is shown as it is, and unknown income is not zero', () => {
  const terms = { principal: 1_000n * 10n ** 18n, partnerFeeBPS: 250n }
  const { principal, payout } = amountsOfActive(terms, { fixed: 88_208n * 10n ** 15n, floating: 330_217n * 10n ** 15n })
  expect([principal.cents, payout?.cents]).toEqual([100_000n, 140_796n])
  expect(amountsOfActive(terms, undefined)).toEqual({ principal })
  expect(amountsOfClaimed(terms.principal, undefined)).toEqual({ principal })
  expect(sumHoldings([]).lent.cents).toBe(0n)
})
