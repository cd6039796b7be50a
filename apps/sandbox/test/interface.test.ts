import {
  type AbiEvent,
  type AbiFunction,
  parseAbiItem,
  toEventSelector,
  toFunctionSelector,
  toFunctionSignature,
} from 'viem'
import { describe, expect, test } from 'vitest'
import type { dollarTokenAbi } from '../src/generated/dollar-token.ts'
import { poolAbi } from '../src/generated/pool.ts'
import { positionTokenAbi } from '../src/generated/position-token.ts'

type AbiEntry = (typeof poolAbi | typeof positionTokenAbi | typeof dollarTokenAbi)[number]

describe('default: selectors as published', () => {
  test.each([
    ['lend', '0x1949f17e'],
    ['permitLend', '0xaa121ea9'],
    ['claim', '0xaad3ec96'],
    ['batchClaim', '0x79f67c5a'],
    ['permitClaim', '0x9d2d3586'],
    ['validatePriceFeed', '0xbe7b54a1'],
  ])('function %s', (name, selector) => {
    expect(toFunctionSelector(entryOf(poolAbi, 'function', name) as AbiFunction)).toBe(selector)
  })

  test.each([
    ['FeedSignatureVerifier__FeedNotYetValid', '0xfe6e3778'],
    ['FeedSignatureVerifier__FeedExpired', '0xb2da565b'],
    ['FeedSignatureVerifier__InvalidSigner', '0x258b9f04'],
    ['FeedSignatureVerifier__InvalidSignature', '0x1d84733b'],
    ['FeedSignatureVerifier__InvalidMaturityTimestamp', '0x3995810a'],
    ['ReserveStabilityPool__InvalidCoupon', '0x205d0928'],
    ['ReserveStabilityPool__InvalidMaturity', '0xf5dbd880'],
    ['ReserveStabilityPool__InsufficientPrincipal', '0xd7ebd839'],
    ['ReserveStabilityPool__PartnerFeeChanged', '0xfd367910'],
    ['EnforcedPause', '0xd93c0665'],
  ])('error %s', (name, selector) => {
    const error = entryOf(poolAbi, 'error', name) as { readonly inputs: AbiFunction['inputs'] }
    const signature = toFunctionSignature({
      type: 'function',
      name,
      inputs: error.inputs,
      outputs: [],
      stateMutability: 'view',
    })
    expect(toFunctionSelector(signature)).toBe(selector)
  })
})

const poolEvents = [
  'event Lend(address indexed initiator, address indexed beneficiary, uint256 tokenId, uint128 maturityTimestamp, uint256 coupon, uint256 principal, bytes32 partnerId, uint256 partnerFeeBPS)',
  'event Claim(address indexed initiator, address indexed beneficiary, uint256 tokenId, uint128 maturityTimestamp, uint256 coupon, uint256 principal, uint256 totalIncome, uint256 fee, bytes32 partnerId)',
  'event UpdateDailyFloatingIncome(uint256 updatedDay, uint256 floatingIncome, uint256 accFloatingIncome)',
  'event UpdatePreviousFloatingIncome(uint256 firstDay, uint256[] floatingIncomes, uint256[] accFloatingIncomes)',
  'event MinLendLimitUpdated(uint256 minLendLimit)',
  'event MaxCouponLimitUpdated(uint256 maxCouponLimit)',
  'event MinMaturityLimitUpdated(uint256 minMaturityLimit)',
  'event PartnerCreated(bytes32 partnerId, address indexed partnerOwner, address indexed partnerVault, uint256 partnerFeeBPS)',
  'event PartnerOwnershipTransferred(bytes32 partnerId, address indexed newOwner)',
  'event PartnerVaultChanged(bytes32 partnerId, address indexed newVault)',
  'event PartnerFeeChanged(bytes32 partnerId, uint256 newFeeBPS)',
  'event FeedSignatureVerifier__SignerChanged(address indexed signer)',
  'event Paused(address account)',
  'event Unpaused(address account)',
]
const transferEvent = 'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)'

describe('default: events as published, parameter by parameter', () => {
  test.each([...poolEvents.map((text) => [text, poolAbi] as const), [transferEvent, positionTokenAbi] as const])(
    '%s',
    (text, abi) => {
      const published = parseAbiItem(text) as AbiEvent
      const ours = entryOf(abi, 'event', published.name) as AbiEvent
      expect(toEventSelector(ours)).toBe(toEventSelector(published))
      expect(ours.inputs.map(parameter)).toEqual(published.inputs.map(parameter))
    },
  )
})

const poolFunctions = [
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function paused() view returns (bool)',
  'function minLendLimit() view returns (uint256)',
  'function isFloatingIncomeSynced() view returns (bool)',
  'function lastFloatingIncomeUpdateDay() view returns (uint256)',
  'function accFloatingIncome(uint256 day) view returns (uint256)',
  'function calculateFixedIncome(uint256 tokenId) view returns (uint256)',
  'function calculateFloatingIncome(uint256 tokenId) view returns (uint256)',
  'function updateDailyFloatingIncome(uint256 income)',
  'function updatePreviousFloatingIncome(uint256 firstDay, uint256 dayCount, uint256[] incomes)',
  'function createPartner(address vault, uint256 feeBPS) returns (bytes32 partnerId)',
  'function transferPartnerOwnership(bytes32 partnerId, address newOwner)',
  'function setPartnerVault(bytes32 partnerId, address newVault)',
  'function setPartnerFee(bytes32 partnerId, uint256 newFeeBPS)',
  'function setMinLendLimit(uint256 newLimit)',
  'function setMaxCouponLimit(uint256 newLimit)',
  'function setMinMaturityLimit(uint256 newLimit)',
  'function setVerifierSigner(address signer)',
  'function claim(address beneficiary, uint256 tokenId) returns (uint256 principal, uint256 userIncome, uint256 fee)',
  'function pause()',
  'function unpause()',
]

describe('default: functions as published', () => {
  test.each(poolFunctions)('%s', (text) => {
    const published = parseAbiItem(text) as AbiFunction
    const ours = entryOf(poolAbi, 'function', published.name) as AbiFunction
    expect(ours.stateMutability).toBe(published.stateMutability)
    expect(ours.inputs.map(parameter)).toEqual(published.inputs.map(parameter))
    expect(ours.outputs.map(({ type }) => type)).toEqual(published.outputs.map(({ type }) => type))
  })

  test('a position gives its terms in the published order', () => {
    const { outputs } = entryOf(positionTokenAbi, 'function', 'getLendInfo') as AbiFunction
    const components = (outputs[0] as { readonly components: AbiFunction['outputs'] }).components
    expect(components.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'uint128 lendTimestamp',
      'uint128 maturityTimestamp',
      'uint256 coupon',
      'uint256 principal',
      'uint256 partnerFeeBPS',
      'bytes32 partnerId',
    ])
  })
})

function entryOf(abi: readonly AbiEntry[], type: AbiEntry['type'], name: string): AbiEntry {
  const entries = abi.filter((entry) => entry.type === type && 'name' in entry && entry.name === name)
  expect(entries, `${type} ${name}`).toHaveLength(1)
  return entries[0]!
}

function parameter(input: AbiEvent['inputs'][number]): string {
  return `${input.type}${input.indexed ? ' indexed' : ''} ${input.name}`
}
