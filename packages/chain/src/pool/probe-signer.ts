import { FeedSignatureVerifier__InvalidSigner } from '@tallystick/contracts/errors'
import { validatePriceFeed } from '@tallystick/contracts/pool-functions'
import { type Address, decodeErrorResult, encodeFunctionData, type Hex, maxUint128, toHex } from 'viem'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { callContract } from './call-contract.ts'

/**
 * Reads whose notes a pool accepts. Pools have no getter for it, but the revert of `validatePriceFeed` names the registered
 * signer if the signature is somebody else's. Returns undefined if the contract reverts otherwise, or not at all.
 */
export async function probeSigner(
  endpoint: RpcEndpoint,
  { pool, block }: { readonly pool: Address; readonly block?: number | undefined },
): Promise<Address | undefined> {
  const outcome = await callContract(endpoint, { to: pool, data: probe, block })
  if (!('revert' in outcome)) return undefined
  return decodeExpectedSigner(outcome.revert)
}

function decodeExpectedSigner(data: Hex): Address | undefined {
  try {
    return decodeErrorResult({ abi: [FeedSignatureVerifier__InvalidSigner], data }).args[1]
  } catch {
    return undefined
  }
}

// The note is valid at every block time. With the x coordinate of the curve's generator as r, every message has a signer,
// which nobody has the key of.
const probe = encodeFunctionData({
  abi: [validatePriceFeed],
  args: [
    { maturityTimestamp: maxUint128, coupon: 1n, validAfter: 0n, validBefore: maxUint128 },
    {
      v: 27,
      r: '0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
      s: toHex(1n, { size: 32 }),
    },
  ],
})
