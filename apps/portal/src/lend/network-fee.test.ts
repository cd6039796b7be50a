import type { OfferedNote } from '@tallystick/client'
import type { PortalChain } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import { createFakeProvider } from '../connect/provider/fake-provider.ts'
import { findWarnings } from './find-warnings.ts'
import { documentedGas, estimateFee, formatCoins, readGas } from './network-fee.ts'

const [permit, approve, allowed] = [
  ['permit', 'send', 'wait'],
  ['approve', 'approving', 'send', 'wait'],
  ['send', 'wait'],
] as const
const unmeasured = { price: 2n, approve: undefined, lend: undefined }

describe('the estimate', () => {
  test('default: adds the gas of the transactions of a plan', () => {
    expect(estimateFee(permit, unmeasured)).toBe(2n * documentedGas.permitLend)
    expect(estimateFee(approve, unmeasured)).toBe(2n * (documentedGas.approve + documentedGas.lend))
    expect(estimateFee(allowed, unmeasured)).toBe(2n * documentedGas.lend)
  })

  test('behavior: what is measured replaces the documented gas', () => {
    const measured = { price: 1n, approve: 40_000n, lend: 200_000n }
    expect(estimateFee(allowed, measured)).toBe(200_000n)
    expect(estimateFee(approve, measured)).toBe(240_000n)
    // Its signature is missing. A cheaper approval does not make it cheaper: the pool may have an allowance already.
    expect(estimateFee(permit, measured)).toBe(documentedGas.permitLend)
  })

  test('behavior: a chain that counts gas otherwise scales what cannot be measured', () => {
    const other = { price: 1n, approve: 10n * documentedGas.approve, lend: undefined }
    expect(estimateFee(permit, other)).toBe(10n * documentedGas.permitLend)
    expect(estimateFee(approve, other)).toBe(10n * (documentedGas.approve + documentedGas.lend))
  })

  test.each([
    [421_337_000_000_000n, '0.00042'],
    [1n, '0.000000000000000001'],
    [0n, '0'],
    [12_345_678_900_000_000_000n, '12.3457'],
  ])('default: %d is shown as %s', (wei, text) => {
    expect(formatCoins(wei)).toBe(text)
  })
})

describe('the reading', () => {
  const account = `0x${'a1'.repeat(20)}` as const
  const [token, pool] = [`0x${'b2'.repeat(20)}`, `0x${'c3'.repeat(20)}`] as const
  const chain = { pool } as PortalChain
  const signature = { r: `0x${'11'.repeat(32)}`, s: `0x${'22'.repeat(32)}`, v: 27 } as const
  const note = { maturityTimestamp: 3n, coupon: 4n, validAfter: 1n, validBefore: 2n, signature } as OfferedNote
  const options = { chain, account, token, possible: { note, principal: 5n } }

  test('default: measures an approval and a lend that need no signature, and asks for none', async () => {
    const fake = createFakeProvider({
      eth_gasPrice: () => '0x3b9aca00',
      eth_estimateGas: ([call]) => ((call as { to: string }).to === pool ? '0x30d40' : '0xb71b'),
    })
    expect(await readGas(fake.provider, options)).toEqual({ price: 10n ** 9n, approve: 46_875n, lend: 200_000n })
    expect(new Set(fake.methods())).toEqual(new Set(['eth_gasPrice', 'eth_estimateGas']))
    expect(await readGas(fake.provider, { ...options, possible: undefined })).toMatchObject({ lend: undefined })
  })

  test('behavior: what cannot be measured is left out', async () => {
    const { provider } = createFakeProvider({ eth_gasPrice: () => '0x1' })
    expect(await readGas(provider, options)).toEqual({ price: 1n, approve: undefined, lend: undefined })
  })

  test.each(['12', -1, null, '0x', '0xzz', {}, `0x${'f'.repeat(80)}`])(
    'error: %j is not a price, and nothing is stated',
    async (price) => {
      const { provider } = createFakeProvider({ eth_gasPrice: () => price })
      await expect(readGas(provider, options)).rejects.toThrow('quantity')
    },
  )
})

describe('warnings', () => {
  const lender = { kind: 'key' as const, coins: 10n ** 15n, mintMax: 100_000n * 10n ** 18n }
  const income = { net: 10n ** 18n, fee: 0n }
  const find = (change: object = {}) => findWarnings({ lender, fee: 10n ** 15n, income, currency: 'ETH', ...change })

  test('default: there are none, and none without an account', () => {
    expect(find()).toEqual([])
    expect(find({ lender: undefined, fee: 1n })).toEqual([])
    expect(find({ fee: undefined, income: undefined, lender: { ...lender, mintMax: undefined } })).toEqual([])
  })

  test('behavior: too few coins for the estimate, or none', () => {
    expect(find({ fee: 10n ** 15n + 1n })).toEqual(['This account has 0.001 ETH, which may not pay the network fee.'])
    expect(find({ fee: undefined, lender: { ...lender, coins: 0n } })).toEqual([
      'This account has no ETH to pay the network fee.',
    ])
  })

  test('behavior: a contract wallet needs no coins, because who executes its transaction pays', () => {
    for (const kind of ['contract', 'batching_contract']) {
      expect(find({ lender: { ...lender, kind, coins: 0n } })).toEqual([])
    }
  })

  test('behavior: an income, or a fee of the partner, that one claim cannot mint', () => {
    const warning = expect.stringMatching(/^One claim pays at most \$100,000\.00 of income now\./)
    expect(find({ income: { net: lender.mintMax + 1n, fee: 0n } })).toEqual([warning])
    expect(find({ income: { net: 0n, fee: lender.mintMax + 1n } })).toEqual([warning])
    expect(find({ income: { net: lender.mintMax, fee: lender.mintMax } })).toEqual([])
  })
})
