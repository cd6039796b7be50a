import type { Address } from 'viem'

/** A token's address and the name and version of its EIP-712 domain: `eip712Domain()` of the token tells them. */
export type PermitToken = { readonly address: Address; readonly name: string; readonly version: string }

/** What a lender signs so that the pool may take the principal. */
export type PermitLendOptions = {
  /** The dollar token. */
  readonly token: PermitToken
  readonly chainId: number
  /** Who signs, and will send the lend. */
  readonly owner: Address
  readonly pool: Address
  readonly principal: bigint
  /** `nonces(owner)` of the token. */
  readonly nonce: bigint
  /** Unix seconds; the note's `validBefore` is late enough. */
  readonly deadline: bigint
}

/** What a holder signs so that the pool may take the position. */
export type PermitClaimOptions = {
  /** The position token. */
  readonly positions: PermitToken
  readonly chainId: number
  readonly pool: Address
  readonly tokenId: bigint
  /** `nonces(tokenId)` of the position token. */
  readonly nonce: bigint
  /** Unix seconds. */
  readonly deadline: bigint
}

/**
 * The EIP-2612 permit for `permitLendCalldata`, in the form viem's `signTypedData` takes.
 *
 * @example
 * import { hashTypedData } from 'viem'
 * const typedData = permitLendTypedData({
 *   token: { address: token, name: 'Dollar', version: '1' },
 *   chainId: 324, owner: wallet, pool, principal: 1000n * 10n ** 18n, nonce: 0n, deadline: 1737586800n,
 * })
 * hashTypedData(typedData).length // => 66
 */
export function permitLendTypedData(options: PermitLendOptions) {
  const { token, chainId, owner, pool, principal, nonce, deadline } = options
  return {
    domain: { name: token.name, version: token.version, chainId, verifyingContract: token.address },
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { owner, spender: pool, value: principal, nonce, deadline },
  } as const
}

/**
 * The position token's permit for `permitClaimCalldata`, in the form viem's `signTypedData` takes.
 *
 * @example
 * import { hashTypedData } from 'viem'
 * const typedData = permitClaimTypedData({
 *   positions: { address: positions, name: 'Position', version: '1' },
 *   chainId: 324, pool, tokenId: 7n, nonce: 1n, deadline: 1739401200n,
 * })
 * hashTypedData(typedData).length // => 66
 */
export function permitClaimTypedData({ positions, chainId, pool, tokenId, nonce, deadline }: PermitClaimOptions) {
  return {
    domain: { name: positions.name, version: positions.version, chainId, verifyingContract: positions.address },
    types: {
      Permit: [
        { name: 'spender', type: 'address' },
        { name: 'tokenId', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { spender: pool, tokenId, nonce, deadline },
  } as const
}
