const indexed = <Name extends string>(name: Name) => ({ name, type: 'address', indexed: true }) as const
const uint = <Name extends string>(name: Name) => ({ name, type: 'uint256', indexed: false }) as const
const maturityTimestamp = { name: 'maturityTimestamp', type: 'uint128', indexed: false } as const
const partnerId = { name: 'partnerId', type: 'bytes32', indexed: false } as const

/**
 * The events a lender looks for in a receipt, for viem's `parseEventLogs`.
 *
 * @example
 * import { toEventSelector } from 'viem'
 * toEventSelector(poolEventAbi[0]).length // => 66
 */
export const poolEventAbi = [
  {
    type: 'event',
    name: 'Lend',
    inputs: [
      indexed('initiator'),
      indexed('beneficiary'),
      uint('tokenId'),
      maturityTimestamp,
      uint('coupon'),
      uint('principal'),
      partnerId,
      uint('partnerFeeBPS'),
    ],
  },
  {
    type: 'event',
    name: 'Claim',
    inputs: [
      indexed('initiator'),
      indexed('beneficiary'),
      uint('tokenId'),
      maturityTimestamp,
      uint('coupon'),
      uint('principal'),
      uint('totalIncome'),
      uint('fee'),
      partnerId,
    ],
  },
] as const
