import {
  type AbiEvent,
  type AbiFunction,
  parseAbiItem,
  toEventSelector,
  toFunctionSelector,
  toFunctionSignature,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { denylisterAbi, dollarTokenAbi, errorAbi, eventTopics, poolAbi, positionTokenAbi } from './index.ts'

type AbiEntry = (typeof poolAbi | typeof positionTokenAbi | typeof dollarTokenAbi | typeof denylisterAbi)[number]

describe('default: selectors of functions as published', () => {
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
})

// The parameters are part of the key where they are published.
const publishedErrors = {
  FeedSignatureVerifier__: {
    'FeedNotYetValid(uint128)': '0xfe6e3778',
    'FeedExpired(uint128)': '0xb2da565b',
    'InvalidSigner(address,address)': '0x258b9f04',
    'InvalidSignature()': '0x1d84733b',
    'InvalidMaturityTimestamp(uint128)': '0x3995810a',
    'ExpiredSignature()': '0x0fc1158f',
  },
  ReserveStabilityPool__: {
    InvalidCoupon: '0x205d0928',
    InvalidMaturity: '0xf5dbd880',
    InsufficientPrincipal: '0xd7ebd839',
    PartnerFeeChanged: '0xfd367910',
    'MaturityNotPassed()': '0x34f7b2e6',
    'MaturityPassed()': '0x3cab3190',
    'NotTokenOwner()': '0x27bfdaa9',
    'TokenNotApproved()': '0x39a6b774',
    'TokenAlreadyApproved()': '0x9681ebdf',
    'InsufficientAllowance()': '0xb4914f03',
    'FloatingIncomeNotSynced()': '0x8e9120ba',
    'ArrayLengthMismatch()': '0xbcbd3517',
    'IncorrectAmount()': '0x5a86bed1',
    'ZeroAddress()': '0xf0c6e67f',
    'ZeroAmount()': '0xa6a31837',
    'TransferFromFailed()': '0x04a8ade9',
    'ClaimMintFailed()': '0x8bb81dfa',
    'DailyFloatingIncomeAlreadyUpdated()': '0xd0b56c62',
    'PreviousDayNotUpdated()': '0xa67e45a6',
    'UpdateDayIsNotValid(uint256)': '0xe8c0f3fa',
  },
  PartnerFeeManager__: {
    'PartnerIdNotExists(bytes32)': '0x73264af8',
    'InvalidFee()': '0xcfb3ace6',
    'NotPartnerOwner()': '0x10387da2',
    'SameFee()': '0xb2ef8c0b',
    'SameVaultAddress()': '0x5926e7ea',
    'SameOwner()': '0x005ab9df',
  },
  NonFungibleNotePosition__: {
    'Denylisted(address)': '0xc3951bc8',
    'TokenNotApproved()': '0x73d6578d',
  },
  ParabolUSD__: {
    'Denylisted(address)': '0xd7797d82',
    'InsufficientBalance()': '0x2240b374',
  },
  ERC721Permit__: {
    'DeadlineExpired()': '0x125c3844',
    'InvalidSignature()': '0x32864f01',
    'InvalidSigner(address,address)': '0xa93da5ab',
    'TokenIdDoesNotExist()': '0x7edd5290',
    'Unauthorized()': '0xbef30d6b',
  },
  ERC20Base__: {
    'InvalidSigner(address,address)': '0xaf3f070e',
    'InvalidSignature()': '0x50239849',
  },
  '': {
    EnforcedPause: '0xd93c0665',
    ERC20InsufficientAllowance: '0xfb8f41b2',
    ERC20InsufficientBalance: '0xe450d38c',
    ERC721NonexistentToken: '0x7e273289',
    ERC721InsufficientApproval: '0x177e802f',
    ERC721IncorrectOwner: '0x64283d7b',
    ERC2612ExpiredSignature: '0x62791302',
    ERC2612InvalidSigner: '0x4b800e46',
  },
}

describe('default: errors of the deployed contracts as published', () => {
  const errors = Object.entries(publishedErrors).flatMap(([prefix, selectors]) =>
    Object.entries(selectors).map(([key, selector]) => [`${prefix}${key}`, selector] as const),
  )
  test.each(errors)('error %s', (key, selector) => {
    const [name = ''] = key.split('(')
    const error = entryOf(errorAbi, 'error', name) as { readonly inputs: AbiFunction['inputs'] }
    const signature = toFunctionSignature({ ...error, type: 'function', name, outputs: [], stateMutability: 'view' })
    expect(signature.startsWith(key)).toBe(true)
    expect(toFunctionSelector(signature)).toBe(selector)
  })

  test('no contract has an error of its own that is not published', () => {
    // Seen on the deployed contracts, without a published selector. InvalidAmount ends a claim whose income is above the
    // dollar's mint limit.
    const seen = [
      'ParabolUSD__InvalidAmount',
      'PartnerFeeManager__ZeroAddress',
      'ReserveStabilityPool__InvalidInputParameter',
    ]
    const published = new Set([...errors.map(([key]) => key.split('(')[0]), ...seen])
    const own = errorAbi.map(({ name }) => name).filter((name) => name.includes('__'))
    expect(own.filter((name) => !published.has(name))).toEqual([])
  })

  test('no two errors share a selector', () => {
    const selectors = errorAbi.map((error) =>
      toFunctionSelector({ ...error, type: 'function', outputs: [], stateMutability: 'view' }),
    )
    expect(new Set(selectors).size).toBe(errorAbi.length)
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
      expect(eventTopics).toHaveProperty(published.name, toEventSelector(published))
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
  'function nonFungibleNotePosition() view returns (address)',
  'function paraUSD() view returns (address)',
]

describe('default: functions as published', () => {
  test.each(poolFunctions)('%s', (text) => {
    const published = parseAbiItem(text) as AbiFunction
    const ours = entryOf(poolAbi, 'function', published.name) as AbiFunction
    expect(ours.stateMutability).toBe(published.stateMutability)
    expect(ours.inputs.map(parameter)).toEqual(published.inputs.map(parameter))
    expect(ours.outputs.map(({ type }) => type)).toEqual(published.outputs.map(({ type }) => type))
  })

  test('getLendInfo returns the terms in the published order', () => {
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

const roleViews = ['DEFAULT_ADMIN_ROLE', 'PAUSER_ROLE', 'getRoleAdmin', 'hasRole', 'supportsInterface']
const tokenViews = [...roleViews, 'DOMAIN_SEPARATOR', 'balanceOf', 'denylister', 'name', 'nonces', 'paused', 'symbol']

describe('default: views as published, and no other', () => {
  test.each([
    [
      'pool',
      poolAbi,
      [
        ...roleViews,
        'FLOATING_INCOME_ROLE',
        'DOMAIN_SEPARATOR',
        'eip712Domain',
        'paused',
        'minLendLimit',
        'isFloatingIncomeSynced',
        'lastFloatingIncomeUpdateDay',
        'accFloatingIncome',
        'getDay',
        'isMaturityPassed',
        'calculateFixedIncome',
        'calculateFloatingIncome',
        'getPartnerInfoById',
        'getPartnerInfoByOwner',
        'getPartnerIdByNonce',
        'getPartnerNonce',
        'nonFungibleNotePosition',
        'paraUSD',
        'validatePriceFeed',
      ],
    ],
    [
      'position token',
      positionTokenAbi,
      [...tokenViews, 'POOL_ROLE', 'getApproved', 'getLendInfo', 'isApprovedForAll', 'ownerOf', 'tokenURI'],
    ],
    [
      'dollar',
      dollarTokenAbi,
      [...tokenViews, 'MINTER_ROLE', 'allowance', 'authorizationState', 'decimals', 'maxMintLimit', 'totalSupply'],
    ],
    [
      'denylister',
      denylisterAbi,
      ['DEFAULT_ADMIN_ROLE', 'getRoleAdmin', 'hasRole', 'supportsInterface', 'isDenylisted'],
    ],
  ] as const)('%s', (_, abi, views) => {
    const functions = (abi as readonly AbiEntry[]).filter(({ type }) => type === 'function') as AbiFunction[]
    const found = functions.filter(({ stateMutability }) => /view|pure/.test(stateMutability)).map(({ name }) => name)
    expect(found.toSorted()).toEqual([...views].toSorted())
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
