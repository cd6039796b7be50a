import { expect, test } from 'vitest'
import { expectedPayment } from './expected-payment.ts'

test('default: the fee is taken from the whole income and rounded down, as the contract does', () => {
  expect(expectedPayment({ principal: 100n, partnerFeeBPS: 0n }, { fixed: 7n, floating: 5n })).toEqual({
    income: 12n,
    fee: 0n,
    paid: 112n,
  })
  expect(expectedPayment({ principal: 100n, partnerFeeBPS: 500n }, { fixed: 19n, floating: 20n })).toEqual({
    income: 38n,
    fee: 1n,
    paid: 138n,
  })
})
