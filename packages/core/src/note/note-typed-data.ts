import { type Hex, hashTypedData } from 'viem'
import type { NoteDomain, NoteTerms } from './note.ts'
import { createRecentResults } from './recent-results.ts'

/** EIP-712 types of the message the pool verifies. */
const noteTypes = {
  PriceFeed: [
    { name: 'maturityTimestamp', type: 'uint128' },
    { name: 'coupon', type: 'uint256' },
    { name: 'validAfter', type: 'uint128' },
    { name: 'validBefore', type: 'uint128' },
  ],
} as const

/**
 * Returns the EIP-712 message of a note in viem's format.
 *
 * @example
 * const digest = hashTypedData(noteTypedData(terms, domain))
 */
export function noteTypedData(terms: NoteTerms, domain: NoteDomain) {
  return {
    domain: {
      name: domain.name,
      version: domain.version,
      chainId: terms.chainId,
      verifyingContract: domain.verifyingContract,
    },
    types: noteTypes,
    primaryType: 'PriceFeed',
    message: {
      maturityTimestamp: terms.maturityTimestamp,
      coupon: terms.coupon,
      validAfter: terms.validAfter,
      validBefore: terms.validBefore,
    },
  } as const
}

// A note is hashed again when it is signed, verified, journalled, stored and published.
const recallHash = createRecentResults<Hex>()

/**
 * Returns the EIP-712 hash that the signer signs.
 *
 * @example
 * hashNote(terms, { name: 'NoteSignatureVerifier', version: '1', verifyingContract: pool })
 */
export function hashNote(terms: NoteTerms, domain: NoteDomain): Hex {
  const typedData = noteTypedData(terms, domain)
  const values = [...Object.values(typedData.domain), ...Object.values(typedData.message)].map(String)
  return recallHash(JSON.stringify(values), () => hashTypedData(typedData))
}
