import type { OfferedNote } from '@tallystick/client'
import type { PortalChain } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import { chooseTenor, listNotesOf } from '../data/offers.ts'
import { findObstacle, type ObstacleFacts } from './find-obstacle.ts'
import { judgeAmount } from './judge-amount.ts'
import { hrefOfLend, hrefOfOverview, listFaults, readChoice } from './lend-choice.ts'
import { planLend } from './plan-lend.ts'

const dollar = 10n ** 18n
const limits = { balance: 5_000n * dollar, minLend: 1_000n * dollar }

describe('the amount', () => {
  test.each([
    ['1000', 1_000n * dollar],
    ['5,000.00', 5_000n * dollar],
    ['1250,50', 1_250_500_000_000_000_000_000n],
    ['4999.999999999999999999', 5_000n * dollar - 1n],
    [' $2 500.50 ', 2_500_500_000_000_000_000_000n],
  ])('default: %j can be lent', (text, principal) => {
    expect(judgeAmount(text, limits)).toEqual({ principal })
  })

  test.each([
    ['', 'Enter the amount to lend.'],
    ['ten', 'Enter dollars, such as 10000 or 2500.50.'],
    ['-1000', 'Enter dollars, such as 10000 or 2500.50.'],
    ['1e30', 'Enter dollars, such as 10000 or 2500.50.'],
    ['0x3e8', 'Enter dollars, such as 10000 or 2500.50.'],
    ['5,000', '"5,000" can mean 5000 or 5.00. Enter one of these.'],
    ['9'.repeat(400), 'Enter dollars, such as 10000 or 2500.50.'],
    ['٣٠٠٠', 'Enter dollars, such as 10000 or 2500.50.'],
    ['0', 'Enter more than 0.'],
    ['0.000', 'Enter more than 0.'],
    ['999.999999999999999999', 'The least amount is $1,000.00.'],
    ['5000.000000000000000001', 'This account has $5,000.00.'],
  ])('error: %j cannot be lent', (text, fault) => {
    expect(judgeAmount(text, limits).fault).toBe(fault)
  })

  test('behavior: unknown limits reject nothing', () => {
    expect(judgeAmount('1', {})).toEqual({ principal: dollar })
  })
})

describe('the choice', () => {
  const chains = [
    { id: 324, name: 'First' },
    { id: 8453, name: 'Second' },
  ] as unknown as readonly PortalChain[]
  const partner = `0x${'ab'.repeat(32)}` as const

  test('default: is read from the URL and written to it', () => {
    const amount = 2_500n * dollar + dollar / 2n
    const href = hrefOfLend({ chainId: 8453, tenorDays: 7, partnerId: partner, amount })
    expect(href).toBe(`/lend?chainid=8453&maturity=7&amount=2500.50&partner=${partner}`)
    const choice = readChoice(new URL(href, 'https://x.example').searchParams, chains)
    expect(choice).toEqual({
      chain: { id: 8453, name: 'Second' },
      tenorDays: 7,
      partnerId: partner,
      amount,
      faults: [],
    })
  })

  test.each<[query: string, faults: readonly string[]]>([
    ['', []],
    ['chainid=324&chainid=8453', []],
    ['chainid=1', ['a chain that this service does not have. Shown is First.']],
    ['chainid=0x144&maturity=-7', ['a chain', 'a maturity that is not a number of days']],
    ['maturity=1e3&partner=0x12', ['a maturity', 'a partner that does not exist. Shown are the terms without one.']],
    ['amount=1e9', ['no valid amount. Shown are $10,000.00.']],
    ['amount=', ['no valid amount']],
    ['amount=-5&chainid=', ['a chain', 'no valid amount']],
    [`amount=${'9'.repeat(100_000)}&maturity=${'9'.repeat(100_000)}`, ['a maturity', 'no valid amount']],
    ['amount=<script>alert(1)</script>', ['no valid amount']],
  ])('error: %.60j falls back to what is on offer, and says so', (query, faults) => {
    const choice = readChoice(new URLSearchParams(query), chains)
    const expected = faults.map((fault) => expect.stringContaining(`The link names ${fault}`))
    expect(choice).toEqual({ ...first, faults: expected })
    // What a link says is never repeated.
    expect(choice.faults.join()).not.toMatch(/script|1e9|999/)
  })

  const first = {
    ...{ chain: { id: 324, name: 'First' }, tenorDays: undefined, partnerId: undefined },
    amount: undefined,
  }

  test.each([0n, 1n, dollar - 1n, dollar, 1_234n * dollar + 567n * (dollar / 1000n), 2n ** 256n - 1n])(
    'default: the amount %d is the same after a link',
    (amount) => {
      const { searchParams } = new URL(hrefOfOverview({ chainId: 324, amount }), 'https://x.example')
      expect(readChoice(searchParams, chains).amount).toBe(amount)
    },
  )

  test('error: a maturity that is not on offer is a fault as soon as it is known what is', () => {
    const [offered, chosen] = [[{ tenorDays: 7 }, { tenorDays: 30 }], { tenorDays: 30 }]
    const chain = chains[0] as PortalChain
    expect(listFaults([], { tenorDays: 45, chain, offered, chosen })).toEqual([
      'The link names a maturity of 45 days, which is not on offer on First. Shown are 30 days.',
    ])
    expect(listFaults(['x'], { tenorDays: 7, chain, offered, chosen })).toEqual(['x'])
    expect(listFaults([], { tenorDays: undefined, chain, offered, chosen })).toEqual([])
    expect(listFaults([], { tenorDays: 45, chain, offered: [], chosen: undefined })).toEqual([])
  })

  test('default: the note of the tenor, else that of 30 days, else the middle one', () => {
    const note = (tenorDays: number, chainId = 324) =>
      ({ chainId, tenorDays, maturityTimestamp: BigInt(tenorDays) }) as OfferedNote
    const notes = [note(90), note(7), note(30), note(7, 8453)]
    const choose = (list: OfferedNote[], tenorDays: number | undefined) =>
      chooseTenor(listNotesOf(list, 324), tenorDays)?.tenorDays
    expect([choose(notes, 7), choose(notes, 8), choose([note(7), note(14)], undefined), choose([], 7)]).toEqual([
      7,
      30,
      14,
      undefined,
    ])
    expect(listNotesOf(notes, 324).map(({ tenorDays }) => tenorDays)).toEqual([7, 30, 90])
  })
})

test('default: the dollars are taken by allowance, by permit or after an approval', () => {
  const stepsOf = (...[facts]: Parameters<typeof planLend>) => planLend(facts).steps.join()
  expect(stepsOf({ allowance: 5n, principal: 5n, hasPermit: false })).toBe('send,wait')
  expect(stepsOf({ allowance: 4n, principal: 5n, hasPermit: true })).toBe('permit,send,wait')
  expect(stepsOf({ allowance: 0n, principal: 5n, hasPermit: false })).toBe('approve,approving,send,wait')
  expect(stepsOf({ allowance: undefined, principal: undefined, hasPermit: undefined })).toBe('permit,send,wait')
  const needed = { allowance: 0n, principal: 5n, hasPermit: true }
  expect(stepsOf({ ...needed, kind: 'key' })).toBe('permit,send,wait')
  expect(stepsOf({ ...needed, kind: 'contract' })).toBe('approve,approving,send,wait')
  expect(stepsOf({ ...needed, kind: 'contract', allowance: 5n })).toBe('send,wait')
  expect(stepsOf({ ...needed, kind: 'batching_contract' })).toBe('send,owners,wait')
})

describe('obstacles', () => {
  const ready: ObstacleFacts = {
    isLost: false,
    isConnected: true,
    lender: { isPaused: false, balance: limits.balance, minLend: limits.minLend },
    amount: { principal: 1_000n * dollar },
    hasNote: true,
    hasExpired: false,
    isPaused: false,
    rejection: undefined,
    isPartnerUnknown: false,
  }
  const lender = ready.lender as NonNullable<ObstacleFacts['lender']>

  test('default: there is none', () => {
    expect(findObstacle(ready)).toBeUndefined()
  })

  test.each([
    [{ isLost: true, isPaused: true }, 'The service does not respond. You can lend when it is back.'],
    [{ isConnected: false }, 'Connect a wallet first.'],
    [{ lender: undefined }, 'Reading your account…'],
    [{ isPaused: true, isConnected: false }, 'The pool is paused. Nothing can be lent until the pause ends.'],
    [{ rejection: 'It has another signer.', hasNote: false }, 'The pool rejects loans. It has another signer.'],
    [{ lender: { ...lender, isPaused: true } }, 'The pool is paused. Nothing can be lent until the pause ends.'],
    [{ hasNote: false }, 'No note is on offer for this choice.'],
    [{ hasExpired: true }, 'The notes of the last period have expired. The new ones are loading.'],
    [{ lender: { ...lender, balance: 0n } }, 'This account has too few dollars to lend.'],
    [{ amount: { principal: undefined, fault: 'Enter more than 0.' } }, 'Enter more than 0.'],
    [{ isPartnerUnknown: true }, 'The partner in this link is not known to the pool. Open the page without it.'],
  ] as const)('error: case %#', (change, obstacle) => {
    expect(findObstacle({ ...ready, ...change })).toBe(obstacle)
  })
})
