import { batchClaim, claim, permitClaim } from '@tallystick/contracts/pool-functions'
import { type Address, encodeFunctionData } from 'viem'
import type { Call } from './call.ts'
import { type PermitSignature, splitPermit } from './split-permit.ts'

/** A claim of one position, to be sent by its holder from its maturity on. */
export type ClaimOptions = {
  readonly pool: Address
  /** Who is paid. */
  readonly beneficiary: Address
  readonly tokenId: bigint
}

/**
 * The transaction that claims a matured position. Its holder must have approved it to the pool before;
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
 * The transaction that claims with a permit in place of an approval. `permitClaimTypedData` gives what to sign; the
 * holder must send it too.
 *
 * @example
 * import { privateKeyToAccount } from 'viem/accounts'
 * const account = privateKeyToAccount(`0x${'02'.repeat(32)}`)
 * const claim = { pool, tokenId: 7n, deadline: 1739401200n }
 * const domain = { address: positions, name: 'Position', version: '1' }
 * const typedData = permitClaimTypedData({ ...claim, positions: domain, chainId: 324, nonce: 1n })
 * const signature = await account.signTypedData(typedData)
 * const call = permitClaimCalldata({ ...claim, beneficiary: account.address, signature })
 * call.data.slice(0, 10) // => '0x9d2d3586'
 */
export function permitClaimCalldata(
  options: ClaimOptions & { readonly signature: PermitSignature; readonly deadline: bigint },
): Call {
  const { pool, beneficiary, tokenId, signature, deadline } = options
  const args = [beneficiary, tokenId, splitPermit(signature), deadline] as const
  return { to: pool, data: encodeFunctionData({ abi: [permitClaim], args }), value: 0n }
}

/**
 * The transaction that claims several matured positions at once: all of them or, if one is refused, none.
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
