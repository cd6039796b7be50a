import {
  BaseError,
  decodeFunctionData,
  type Hex,
  hashTypedData,
  keccak256,
  parseAbi,
  recoverTypedDataAddress,
  toFunctionSelector,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { batchClaimCalldata, claimCalldata, permitClaimCalldata } from '../src/chain/claim-calldata.ts'
import { lendCalldata, permitLendCalldata } from '../src/chain/lend-calldata.ts'
import { permitClaimTypedData, permitLendTypedData } from '../src/chain/permit-typed-data.ts'
import { poolAbi } from '../src/chain/pool-abi.ts'
import { claimability } from '../src/income/claimability.ts'
import { IncomeNotReportedError } from '../src/income/income-not-reported.ts'

// Written by hand from the published interface, not taken from the package's own ABI.
const published = parseAbi([
  'struct PriceFeed { uint128 maturityTimestamp; uint256 coupon; uint128 validAfter; uint128 validBefore; }',
  'struct Signature { uint8 v; bytes32 r; bytes32 s; }',
  'struct LendParams { address beneficiary; bytes32 partnerId; uint256 partnerFeeBPS; uint256 principal; }',
  'function lend(LendParams params, PriceFeed feed, Signature feedSignature)',
  'function permitLend(LendParams params, PriceFeed feed, Signature feedSignature, Signature permitSignature, uint256 permitDeadline)',
  'function claim(address beneficiary, uint256 tokenId)',
  'function permitClaim(address beneficiary, uint256 tokenId, Signature permitSignature, uint256 permitDeadline)',
  'function batchClaim(address[] beneficiaries, uint256[] tokenIds)',
])
const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
const account = privateKeyToAccount(`0x${'02'.repeat(32)}`)
const beneficiary = account.address
const partnerId: Hex = `0x${'0c'.repeat(32)}`
const note = {
  chainId: 324,
  maturityTimestamp: 1739314800n,
  coupon: 401n,
  validAfter: 1737521999n,
  validBefore: 1737586800n,
  startedAt: 1737522000n,
  signature: { r: `0x00${'49'.repeat(31)}`, s: `0x42${'73'.repeat(31)}`, v: 28 },
} as const
const feed = { maturityTimestamp: 1739314800n, coupon: 401n, validAfter: 1737521999n, validBefore: 1737586800n }
const principal = 1000n * 10n ** 18n
const claimTerms = { ...feed, tokenId: 7n, principal, lendTimestamp: 1737522000n, partnerFeeBPS: 250n }
const maturityDay = feed.maturityTimestamp / 86_400n
/** A pool that has reported the same income for all days up to one. */
function reportedUntil(lastUpdatedDay: bigint) {
  return { now: (maturityDay + 1n) * 86_400n, lastUpdatedDay, accFloatingIncome: (day: bigint) => day * 10n ** 16n }
}
const reported = reportedUntil(maturityDay)
const permitParts = { r: `0x${'0a'.repeat(32)}`, s: `0x${'0b'.repeat(32)}` } as const
const permitWhole = `${permitParts.r}${permitParts.s.slice(2)}1c` as Hex

describe('calldata can be decoded with the published interface', () => {
  test('lend', () => {
    const call = lendCalldata({ pool, note, beneficiary, principal, partnerId, partnerFeeBPS: 250n })
    expect(call).toMatchObject({ to: pool, value: 0n })
    expect(decodeFunctionData({ abi: published, data: call.data })).toEqual({
      functionName: 'lend',
      args: [{ beneficiary, partnerId, partnerFeeBPS: 250n, principal }, feed, note.signature],
    })
  })

  test('lend without a partner', () => {
    const { args } = decodeFunctionData({
      abi: published,
      data: lendCalldata({ pool, note, beneficiary, principal }).data,
    })
    expect(args[0]).toEqual({ beneficiary, partnerId: `0x${'00'.repeat(32)}`, partnerFeeBPS: 0n, principal })
  })

  test.each([
    ['whole', permitWhole],
    ['in parts', { ...permitParts, v: 28 }],
    ['with the parity for v', { ...permitParts, v: 1 }],
    ['whole, with the parity for v', `${permitWhole.slice(0, -2)}01` as Hex],
  ])('permitLend and permitClaim, the signature %s', (_, signature) => {
    const permit = { signature, deadline: 9n }
    const lend = permitLendCalldata({ pool, note, beneficiary, principal, permit })
    const lendArguments = decodeFunctionData({ abi: published, data: lend.data }).args
    expect(lendArguments.slice(1)).toEqual([feed, note.signature, { ...permitParts, v: 28 }, 9n])
    const claim = permitClaimCalldata({ ...claimTerms, pool, beneficiary, reported, permit })
    expect(decodeFunctionData({ abi: published, data: claim.data })).toEqual({
      functionName: 'permitClaim',
      args: [beneficiary, 7n, { ...permitParts, v: 28 }, 9n],
    })
  })

  test('claim and batchClaim', () => {
    const claim = claimCalldata({ ...claimTerms, pool, beneficiary, reported })
    expect(decodeFunctionData({ abi: published, data: claim.data })).toEqual({
      functionName: 'claim',
      args: [beneficiary, 7n],
    })
    const claims = [7n, 8n].map((tokenId) => ({ ...claimTerms, tokenId, beneficiary }))
    expect(decodeFunctionData({ abi: published, data: batchClaimCalldata({ pool, claims, reported }).data })).toEqual({
      functionName: 'batchClaim',
      args: [
        [beneficiary, beneficiary],
        [7n, 8n],
      ],
    })
  })

  describe('a claim that would lose income', () => {
    const permit = { signature: permitWhole, deadline: 9n }
    const incomplete = { ...claimTerms, pool, beneficiary, reported: reportedUntil(maturityDay - 1n) } as const
    const others = [{ ...claimTerms, tokenId: 6n, maturityTimestamp: (maturityDay - 1n) * 86_400n, beneficiary }]
    const builders = [
      ['claim', (options: object) => claimCalldata({ ...incomplete, ...options })],
      ['permitClaim', (options: object) => permitClaimCalldata({ ...incomplete, permit, ...options })],
      [
        'batchClaim',
        (options: object) => batchClaimCalldata({ ...incomplete, claims: [...others, incomplete], ...options }),
      ],
    ] as const

    test.each(builders)('error: %s is refused until the day of the maturity is reported', (_, build) => {
      const error = failureOf(() => build({}))
      expect(error).toBeInstanceOf(IncomeNotReportedError)
      expect(error).toMatchObject({
        ...{ code: 'income_not_reported', retryable: true },
        claimability: claimability(incomplete, incomplete.reported),
        details: {
          ...{ tokenId: '7', lastReportedDay: '20129', maturityDay: '20130', completeFrom: '1739318400' },
          ...{ paidNow: expect.stringMatching(/^\d+$/), expectedAfter: expect.stringMatching(/^\d+$/) },
          missingIncome: String((82_800n * 10n ** 12n * 9_750n) / 10_000n),
        },
      })
      expect(() => JSON.stringify(error.details)).not.toThrow()
      expect(error.message).toBe(
        'The pool has the floating income of the days up to 2025-02-10 (UTC), and position 7 earns until 2025-02-11. A claim now pays $3.9207 of income instead of about $4.0015, and the rest is lost. Claim after 2025-02-11 is reported, usually from 2025-02-12T00:00Z on, or pass `acceptMissingIncome: true`.',
      )
      expect(build({ reported }).data).toBe(build({ acceptMissingIncome: true }).data)
    })

    test.each(builders)('error: %s before the maturity, and without a report at all', (_, build) => {
      const early = { ...incomplete.reported, now: feed.maturityTimestamp - 1n }
      expect(failureOf(() => build({ reported: early })).message).toMatch(
        /^Position 7 has not matured\. Claim after 2025/,
      )
      const none = { ...incomplete.reported, lastUpdatedDay: 0n }
      expect(failureOf(() => build({ reported: none, claims: [incomplete] })).message).toMatch(
        /^The pool has the floating income of no day/,
      )
    })

    test.each(builders)('error: %s of a program that does not pass what is reported', (_, build) => {
      const error = failureOf(() => build({ reported: undefined }))
      expect(error).toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/^Position \d: pass its terms/),
      })
    })

    function failureOf(build: () => unknown): IncomeNotReportedError {
      try {
        build()
      } catch (error) {
        return error as IncomeNotReportedError
      }
      throw new Error('It was built.')
    }
  })

  test.each([
    ['a beneficiary that is none', { beneficiary: '0x12' }],
    ['a partner that is not 32 bytes', { partnerId: '0x12' }],
    ['a negative principal', { principal: -1n }],
  ])('error: %s is rejected', (_, change) => {
    expect(() => lendCalldata({ pool, note, beneficiary, principal, ...(change as object) })).toThrow(BaseError)
  })

  test.each([
    ['lend', '0x1949f17e'],
    ['permitLend', '0xaa121ea9'],
    ['claim', '0xaad3ec96'],
    ['batchClaim', '0x79f67c5a'],
    ['permitClaim', '0x9d2d3586'],
    ['validatePriceFeed', '0xbe7b54a1'],
  ])('the selector of %s is %s', (name, selector) => {
    expect(toFunctionSelector(poolAbi.find((item) => item.name === name)!)).toBe(selector)
  })
})

describe('permits', () => {
  const token = { address: `0x${'0e'.repeat(20)}`, name: 'Dollar', version: '1' } as const

  test('behavior: the dollar’s permit follows EIP-2612', async () => {
    const permit = { chainId: 324, pool, nonce: 3n, deadline: 9n } as const
    const typedData = permitLendTypedData({ ...permit, token, owner: beneficiary, principal })
    expect(hashTypedData(typedData)).toBe(
      structHash(typedData.domain, [
        keccak256(toHex('Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)')),
        beneficiary,
        pool,
        toHex(principal),
        '0x3',
        '0x9',
      ]),
    )
    const signature = await account.signTypedData(typedData)
    expect(await recoverTypedDataAddress({ ...typedData, signature })).toBe(account.address)
  })

  test('behavior: the position’s permit contains spender and token id', () => {
    const permit = { chainId: 324, pool, nonce: 1n, deadline: 9n } as const
    const typedData = permitClaimTypedData({ ...permit, positions: token, tokenId: 7n })
    expect(hashTypedData(typedData)).toBe(
      structHash(typedData.domain, [
        keccak256(toHex('Permit(address spender,uint256 tokenId,uint256 nonce,uint256 deadline)')),
        pool,
        '0x7',
        '0x1',
        '0x9',
      ]),
    )
  })
})

/** EIP-712 by hand: every member is one word. */
function structHash(
  domain: { name: string; version: string; chainId: number; verifyingContract: Hex },
  words: readonly Hex[],
): Hex {
  const hashWords = (parts: readonly Hex[]) =>
    keccak256(`0x${parts.map((part) => part.slice(2).toLowerCase().padStart(64, '0')).join('')}`)
  const separator = hashWords([
    keccak256(toHex('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)')),
    keccak256(toHex(domain.name)),
    keccak256(toHex(domain.version)),
    toHex(domain.chainId),
    domain.verifyingContract,
  ])
  return keccak256(`0x1901${separator.slice(2)}${hashWords(words).slice(2)}`)
}
