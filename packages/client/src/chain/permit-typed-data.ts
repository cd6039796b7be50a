import { type Address, type Hex, parseSignature } from 'viem'

/**
 * Address of a token, and name and version of its EIP-712 domain. `client.chains()` returns them as the token's `domain`. The
 * tokens have no `eip712Domain()`. If `domain` is null, use the token's `name()` and the version `1`, and check that viem's
 * `domainSeparator` of that domain equals the token's `DOMAIN_SEPARATOR()`.
 */
export type PermitToken = { readonly address: Address; readonly name: string; readonly version: string }

/** Permit that lets the pool take a lender's principal. */
export type PermitLendOptions = {
  /** The dollar token. */
  readonly token: PermitToken
  readonly chainId: number
  /** Signer of the permit and sender of the lend. */
  readonly owner: Address
  readonly pool: Address
  readonly principal: bigint
  /** `nonces(owner)` of the token. */
  readonly nonce: bigint
  /** Unix seconds; the note's `validBefore` is late enough. */
  readonly deadline: bigint
}

/** Permit that lets the pool take a holder's position. */
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
 * Returns the EIP-2612 permit for `permitLendCalldata`, in the format of viem's `signTypedData`.
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
 * Returns the position token's permit for `permitClaimCalldata`, in the format of viem's `signTypedData`.
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

/** Signature of `signTypedData`, or its parts. */
export type PermitSignature = Hex | { readonly r: Hex; readonly s: Hex; readonly v: number }

/** Permit that lets the pool take the principal or the position, signed by the sender of the lend or claim. */
export type Permit = {
  readonly signature: PermitSignature
  /** Signed deadline, Unix seconds. */
  readonly deadline: bigint
}

/** Splits a signature for the contracts. `v` is always 27 or 28. */
export function splitPermit(signature: PermitSignature): { readonly v: number; readonly r: Hex; readonly s: Hex } {
  if (typeof signature === 'object') {
    const { r, s, v } = signature
    return { r, s, v: v < 27 ? v + 27 : v }
  }
  const { r, s, yParity } = parseSignature(signature)
  return { r, s, v: 27 + yParity }
}
