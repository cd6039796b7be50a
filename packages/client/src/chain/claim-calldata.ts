import { batchClaim, claim, permitClaim } from '@tallystick/contracts/pool-functions'
import { type Address, encodeFunctionData } from 'viem'
import type { Call } from './call.ts'
import { type Permit, splitPermit } from './split-permit.ts'

/** Claim of one position. Its holder can send it from maturity on. */
export type ClaimOptions = {
  readonly pool: Address
  /** Receiver of the payment. */
  readonly beneficiary: Address
  readonly tokenId: bigint
}

/**
 * Returns the transaction that claims a matured position. The holder must first approve the position for the pool;
 * `permitClaimCalldata` needs no approval.
 *
 * @example
 * claimCalldata({ pool, beneficiary: wallet, tokenId: 7n }).data.slice(0, 10) // => '0xaad3ec96'
 */
export function claimCalldata({ pool, beneficiary, tokenId }: ClaimOptions): Call {
  const data = encodeFunctionData({ abi: [claim], args: [beneficiary, tokenId] })
  return { to: pool, data, value: 0n }
}

/**
 * Returns the transaction that claims with a permit instead of an approval. Sign the result of `permitClaimTypedData`. The
 * holder must send the transaction.
 *
 * @example
 * import { privateKeyToAccount } from 'viem/accounts'
 * const account = privateKeyToAccount(`0x${'02'.repeat(32)}`)
 * const claim = { pool, tokenId: 7n, beneficiary: account.address }
 * const token = { address: positions, name: 'Position', version: '1' }
 * const deadline = 1739401200n
 * const typedData = permitClaimTypedData({ ...claim, positions: token, chainId: 324, nonce: 1n, deadline })
 * const signature = await account.signTypedData(typedData)
 * const call = permitClaimCalldata({ ...claim, permit: { signature, deadline } })
 * call.data.slice(0, 10) // => '0x9d2d3586'
 */
export function permitClaimCalldata(options: ClaimOptions & { readonly permit: Permit }): Call {
  const { pool, beneficiary, tokenId, permit } = options
  const args = [beneficiary, tokenId, splitPermit(permit.signature), permit.deadline] as const
  return { to: pool, data: encodeFunctionData({ abi: [permitClaim], args }), value: 0n }
}

/**
 * Returns the transaction that claims several matured positions. If one is rejected, none is claimed.
 *
 * @example
 * const claims = [7n, 8n].map((tokenId) => ({ tokenId, beneficiary: wallet }))
 * batchClaimCalldata({ pool, claims }).data.slice(0, 10) // => '0x79f67c5a'
 */
export function batchClaimCalldata({
  pool,
  claims,
}: {
  readonly pool: Address
  readonly claims: readonly Omit<ClaimOptions, 'pool'>[]
}): Call {
  const args = [claims.map(({ beneficiary }) => beneficiary), claims.map(({ tokenId }) => tokenId)] as const
  return { to: pool, data: encodeFunctionData({ abi: [batchClaim], args }), value: 0n }
}
