import { fixedIncome, floatingAccumulator, floatingIncome } from '@tallystick/client'
import { type PortalChain, partnerFee } from '@tallystick/core'
import { sumAmounts } from '@tallystick/ui'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Claim } from '../wallet/fetch-claims.ts'
import { amountsOfActive, amountsOfClaimed, sumHoldings } from '../wallet/holding-amounts.ts'
import type { Holding, Wallet } from '../wallet/look-up-wallet.ts'
import { listIncomeDays } from './list-income-days.ts'
import { fileNameOf, formatClaimsCsv, formatDaysCsv, formatPositionsCsv, netOf } from './statement-csv.ts'
import { sumDays } from './sum-days.ts'

const token = 10n ** 18n
const start = 1_793_505_600n
const day = 86_400n
const chain = { id: 324, name: 'zkSync Era' } as PortalChain
const accumulator = floatingAccumulator(
  Array.from({ length: 400 }, (_, index) => ({
    day: start / day - 20n + BigInt(index),
    accFloatingIncome: 40_654_777_192_457_711n * BigInt(index + 1),
  })),
)

type Terms = {
  readonly tokenId: bigint
  readonly principal: bigint
  readonly age: bigint
  readonly term: bigint
  readonly feeBps: bigint
  readonly claim?: Partial<Claim>
}

const at = start + 100n * day + 12_345n

function holdingOf({ tokenId, principal, age, term, feeBps, claim: paid }: Terms, known = accumulator): Holding {
  const lendTimestamp = at - age
  const terms = {
    principal,
    coupon: 369n,
    lendTimestamp,
    maturityTimestamp: lendTimestamp + term,
    partnerFeeBPS: feeBps,
  }
  const hash = `0x${'ab'.repeat(32)}` as const
  const common = { ...terms, tokenId, chain, at, partnerId: hash, lendTransactionHash: hash, status: 'Active' }
  const accrued = { fixed: fixedIncome(terms, at), floating: floatingIncome(terms, { ...known, instantSeconds: at }) }
  if (!paid) {
    const state = terms.maturityTimestamp <= at ? 'matured' : 'lent'
    return { ...common, state, amounts: amountsOfActive(terms, accrued) } as unknown as Holding
  }
  const totalIncome = paid.totalIncome ?? accrued.fixed + accrued.floating
  const fee = paid.fee ?? partnerFee({ totalIncome, partnerFeeBps: feeBps })
  const claim = { totalIncome, fee, timestamp: at - 5n, transactionHash: hash, beneficiary: '0x01', ...paid }
  return { ...common, state: 'claimed', claim, amounts: amountsOfClaimed(principal, claim) } as unknown as Holding
}

function walletOf(holdings: readonly Holding[], accumulators = new Map([[324, accumulator]])): Wallet {
  const amounts = sumHoldings(
    holdings.map(({ state, amounts: own }) => ({ isClaimed: state === 'claimed', amounts: own })),
  )
  const address = `0x${'12'.repeat(20)}` as const
  return { address, at, holdings, amounts, accumulators, failures: [], incompleteChains: [] }
}

const add = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)

/** Reads a column of dollars, in the token's smallest unit. */
function column(csv: string, name: string): readonly bigint[] {
  const [header = '', ...rows] = csv.trimEnd().split('\r\n')
  const index = header.split(',').indexOf(name)
  expect(index).toBeGreaterThanOrEqual(0)
  return rows.flatMap((row) => {
    const field = row.split(',')[index] as string
    if (field === '') return []
    const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)\.(\d{2,18})$/.exec(field) ?? expect.fail(field)
    return (sign === '-' ? -1n : 1n) * (BigInt(whole) * token + BigInt(rest.padEnd(18, '0')))
  })
}

describe('income by day', () => {
  const terms = fc.record({
    tokenId: fc.bigInt({ min: 1n, max: 10n ** 30n }),
    principal: fc.bigInt({ min: 1n, max: 10n ** 27n }),
    age: fc.bigInt({ min: -5n, max: 100n * day }),
    term: fc.bigInt({ min: 1n, max: 60n * day }),
    feeBps: fc.bigInt({ min: 0n, max: 10_000n }),
  })

  test('behavior: the days add up to what accrued and what was paid, to the last digit', () => {
    const claims = fc.option(
      fc.record({ totalIncome: fc.bigInt({ min: 0n, max: 10n ** 27n }), fee: fc.bigInt({ min: 0n, max: 10n ** 20n }) }),
      { nil: undefined },
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(terms, claims), { maxLength: 6 }), (list) => {
        const holdings = list.map(([own, claim]) => {
          const isOver = own.age >= own.term
          return holdingOf(claim && isOver ? { ...own, claim } : own)
        })
        const wallet = walletOf(holdings)
        const { days, leftOutCount } = listIncomeDays(wallet)
        expect(leftOutCount).toBe(0)
        const { accrued, claimed } = wallet.amounts
        expect(add(days.map(netOf))).toBe(accrued.net.exact + claimed.exact)
        expect(add(column(formatDaysCsv(days), 'net_income_usd_exact'))).toBe(accrued.net.exact + claimed.exact)
        const { rows, total } = sumDays(days)
        for (const { fixed, floating, fee, net } of rows)
          expect(fixed.cents + floating.cents - fee.cents).toBe(net.cents)
        expect(total.net).toEqual(sumAmounts(rows.map(({ net }) => net)))
      }),
      { seed: 324, numRuns: 60 },
    )
  })

  test('behavior: what a claim paid differently is a correction on its day', () => {
    const own = { tokenId: 1n, principal: 1_000n * token, age: 40n * day, term: 30n * day, feeBps: 100n }
    const holding = holdingOf({ ...own, claim: { totalIncome: 5n * token, fee: token / 20n, timestamp: at - day } })
    const { days } = listIncomeDays(walletOf([holding]))
    const last = days.at(-1)
    expect([last?.day, last?.positions]).toEqual([(at - day) / day, 1])
    expect(last?.correction).toBe(5n * token - add(days.map(({ fixed, floating }) => fixed + floating)))
    expect(column(formatDaysCsv(days), 'correction_at_claim_usd_exact').at(-1)).toBe(last?.correction)
  })

  test('error: positions whose income is not known are counted, not guessed', () => {
    const own = { tokenId: 1n, principal: token, age: day, term: 10n * day, feeBps: 0n }
    const unread = { ...holdingOf(own), state: 'claimed' } as Holding
    const endless = holdingOf({ ...own, term: 10n ** 15n })
    expect(listIncomeDays(walletOf([unread, endless]))).toEqual({ days: [], leftOutCount: 2 })
    expect(listIncomeDays(walletOf([holdingOf(own)], new Map())).leftOutCount).toBe(1)
  })
})

describe('CSV', () => {
  const held = { tokenId: 7n, principal: 1_000n * token + 1n, age: 3n * day, term: 30n * day, feeBps: 250n }
  const holdings = [
    holdingOf(held),
    holdingOf({ ...held, tokenId: 2n ** 256n - 1n, age: 60n * day, claim: { totalIncome: 3n * token + 1n } }),
  ]

  test('default: dates are ISO in UTC and in New York, rates in basis points, percent and words', () => {
    const [header = '', row = ''] = formatPositionsCsv(holdings).split('\r\n')
    const fields = Object.fromEntries(header.split(',').map((name, index) => [name, row.split(',')[index]]))
    expect(fields).toMatchObject({
      ...{ chainid: '324', chain: 'zkSync Era', token_id: '7', status: 'lent' },
      ...{ lent_at_utc: '2027-02-06T07:25:45Z', lent_day_new_york: '2027-02-06' },
      ...{ matures_at_utc: '2027-03-08T07:25:45Z', maturity_day_new_york: '2027-03-08' },
      ...{ coupon_bps: '369', coupon_percent: '3.69' },
      coupon_in_words: '369 basis points (3.69 %) per 360-day year',
      ...{ principal_usd: '1000.00', principal_usd_exact: '1000.000000000000000001' },
      ...{ partner_fee_bps: '250', partner_fee_percent: '2.50', claimed_net_usd: '' },
      as_of_utc: '2027-02-09T07:25:45Z',
    })
  })

  test('behavior: columns add up to what the page shows, in cents and exactly', () => {
    const { accrued, claimed, lent } = walletOf(holdings).amounts
    const csv = formatPositionsCsv(holdings)
    const sum = (name: string) => add(column(csv, name))
    expect(sum('accrued_net_usd')).toBe(accrued.net.cents * 10n ** 16n)
    expect(sum('accrued_net_usd_exact')).toBe(accrued.net.exact)
    expect(sum('claimed_net_usd')).toBe(claimed.cents * 10n ** 16n)
    expect(column(csv, 'principal_usd_exact')[0]).toBe(lent.exact)
    expect(add(column(formatClaimsCsv(holdings), 'net_income_usd_exact'))).toBe(claimed.exact)
  })

  test('error: no text of a chain or a subgraph is a formula or breaks a row', () => {
    const named = { ...holdings[1], chain: { ...chain, name: '=HYPERLINK("x"),\r\n@y' } } as Holding
    const claim = { ...named.claim, beneficiary: '+1', transactionHash: '-2' } as Claim
    const csv = formatClaimsCsv([{ ...named, claim }])
    expect(csv).toContain(`"'=HYPERLINK(""x""),\r\n@y"`)
    expect(csv).toContain(`,'+1,'-2\r\n`)
  })

  test('default: a file is named for its content, wallet, chains and day', () => {
    expect(fileNameOf('claims', walletOf([]), [324, 8453])).toBe(
      `tallystick-claims-0x${'12'.repeat(20)}-324-8453-2027-02-09.csv`,
    )
  })

  test('behavior: a thousand positions are all there', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => holdingOf({ ...held, tokenId: BigInt(index) }))
    expect(formatPositionsCsv(many).trimEnd().split('\r\n')).toHaveLength(1_001)
    const { days } = listIncomeDays(walletOf(many))
    expect(days.map(({ positions }) => positions)).toEqual([1_000, 1_000, 1_000, 1_000])
  })
})
