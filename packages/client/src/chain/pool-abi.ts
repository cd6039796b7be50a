const lendParams = {
  name: 'params',
  type: 'tuple',
  components: [
    { name: 'beneficiary', type: 'address' },
    { name: 'partnerId', type: 'bytes32' },
    { name: 'partnerFeeBPS', type: 'uint256' },
    { name: 'principal', type: 'uint256' },
  ],
} as const

const priceFeed = {
  name: 'feed',
  type: 'tuple',
  components: [
    { name: 'maturityTimestamp', type: 'uint128' },
    { name: 'coupon', type: 'uint256' },
    { name: 'validAfter', type: 'uint128' },
    { name: 'validBefore', type: 'uint128' },
  ],
} as const

const signatureComponents = [
  { name: 'v', type: 'uint8' },
  { name: 'r', type: 'bytes32' },
  { name: 's', type: 'bytes32' },
] as const
const feedSignature = { name: 'feedSignature', type: 'tuple', components: signatureComponents } as const
const permitSignature = { name: 'permitSignature', type: 'tuple', components: signatureComponents } as const
const permitDeadline = { name: 'permitDeadline', type: 'uint256' } as const
const beneficiary = { name: 'beneficiary', type: 'address' } as const
const tokenId = { name: 'tokenId', type: 'uint256' } as const
const claimOutputs = [
  { name: 'principal', type: 'uint256' },
  { name: 'userIncome', type: 'uint256' },
  { name: 'fee', type: 'uint256' },
] as const

/**
 * The functions of the pool that a lender needs, for viem's `readContract` and `simulateContract`.
 *
 * @example
 * import { toFunctionSelector } from 'viem'
 * const lend = poolAbi.find(({ name }) => name === 'lend')
 * lend && toFunctionSelector(lend) // => '0x1949f17e'
 */
export const poolAbi = [
  {
    type: 'function',
    name: 'lend',
    stateMutability: 'nonpayable',
    inputs: [lendParams, priceFeed, feedSignature],
    outputs: [],
  },
  {
    type: 'function',
    name: 'permitLend',
    stateMutability: 'nonpayable',
    inputs: [lendParams, priceFeed, feedSignature, permitSignature, permitDeadline],
    outputs: [],
  },
  {
    type: 'function',
    name: 'claim',
    stateMutability: 'nonpayable',
    inputs: [beneficiary, tokenId],
    outputs: claimOutputs,
  },
  {
    type: 'function',
    name: 'permitClaim',
    stateMutability: 'nonpayable',
    inputs: [beneficiary, tokenId, permitSignature, permitDeadline],
    outputs: claimOutputs,
  },
  {
    type: 'function',
    name: 'batchClaim',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'beneficiaries', type: 'address[]' },
      { name: 'tokenIds', type: 'uint256[]' },
    ],
    outputs: [],
  },
  {
    type: 'function',
    name: 'validatePriceFeed',
    stateMutability: 'view',
    inputs: [priceFeed, { ...feedSignature, name: 'signature' }],
    outputs: [],
  },
  {
    type: 'function',
    name: 'minLendLimit',
    stateMutability: 'view',
    inputs: [],
    outputs: [{ name: '', type: 'uint256' }],
  },
  { type: 'function', name: 'paused', stateMutability: 'view', inputs: [], outputs: [{ name: '', type: 'bool' }] },
] as const
