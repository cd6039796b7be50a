import type { Address, Hex } from 'viem'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { callContract } from './call-contract.ts'

/**
 * Reads whose notes a pool accepts, in lower case. Pools have no getter for it, but the revert of `validatePriceFeed` names
 * the registered signer if the signature is somebody else's. Returns undefined if the contract reverts otherwise, or not at
 * all.
 */
export async function probeSigner(
  endpoint: RpcEndpoint,
  { pool, block }: { readonly pool: Address; readonly block?: number | undefined },
): Promise<Address | undefined> {
  const outcome = await callContract(endpoint, { to: pool, data: probe, block })
  const revert = 'revert' in outcome ? outcome.revert.toLowerCase() : ''
  return invalidSigner.test(revert) ? `0x${revert.slice(-addressDigits)}` : undefined
}

// Encoded by hand, because a follower of a chain would load viem for this alone.
const addressDigits = 40
/** FeedSignatureVerifier__InvalidSigner(address recovered, address expected) */
const invalidSigner = /^0x258b9f04[0-9a-f]{64}0{24}[0-9a-f]{40}$/
const uint128Max = 2n ** 128n - 1n
const toWord = (value: bigint) => value.toString(16).padStart(64, '0')
// The note (maturity, coupon, validAfter, validBefore) is valid at every block time. With the x coordinate of the curve's
// generator as r, every message has a signer, which nobody has the key of.
const note = [uint128Max, 1n, 0n, uint128Max]
const signature = [27n, 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n, 1n]
/** validatePriceFeed(PriceFeed, Signature) */
const probe: Hex = `0xbe7b54a1${[...note, ...signature].map(toWord).join('')}`
