const uint128 = (name: string) => ({ name, type: 'uint128' }) as const
const uint256 = (name: string) => ({ name, type: 'uint256' }) as const
const address = (name: string) => ({ name, type: 'address' }) as const

/** The errors a lend or a claim can end with: the pool's, the dollar's (ERC-6093) and the position token's. */
export const revertAbi = [
  { type: 'error', name: 'FeedSignatureVerifier__FeedNotYetValid', inputs: [uint128('validAfter')] },
  { type: 'error', name: 'FeedSignatureVerifier__FeedExpired', inputs: [uint128('validBefore')] },
  {
    type: 'error',
    name: 'FeedSignatureVerifier__InvalidSigner',
    inputs: [address('signer'), address('expectedSigner')],
  },
  { type: 'error', name: 'FeedSignatureVerifier__InvalidSignature', inputs: [] },
  {
    type: 'error',
    name: 'FeedSignatureVerifier__InvalidMaturityTimestamp',
    inputs: [uint128('maturityTimestamp')],
  },
  { type: 'error', name: 'ReserveStabilityPool__InvalidCoupon', inputs: [] },
  { type: 'error', name: 'ReserveStabilityPool__InvalidMaturity', inputs: [] },
  { type: 'error', name: 'ReserveStabilityPool__InsufficientPrincipal', inputs: [] },
  { type: 'error', name: 'ReserveStabilityPool__PartnerFeeChanged', inputs: [] },
  {
    type: 'error',
    name: 'ReserveStabilityPool__NotPositionOwner',
    inputs: [uint256('tokenId'), address('caller')],
  },
  { type: 'error', name: 'ReserveStabilityPool__NotMatured', inputs: [uint128('maturityTimestamp')] },
  { type: 'error', name: 'ReserveStabilityPool__LengthMismatch', inputs: [] },
  { type: 'error', name: 'EnforcedPause', inputs: [] },
  {
    type: 'error',
    name: 'ERC20InsufficientAllowance',
    inputs: [address('spender'), uint256('allowance'), uint256('needed')],
  },
  {
    type: 'error',
    name: 'ERC20InsufficientBalance',
    inputs: [address('sender'), uint256('balance'), uint256('needed')],
  },
  { type: 'error', name: 'ERC2612ExpiredSignature', inputs: [uint256('deadline')] },
  { type: 'error', name: 'ERC2612InvalidSigner', inputs: [address('signer'), address('owner')] },
  {
    type: 'error',
    name: 'ERC721InsufficientApproval',
    inputs: [address('operator'), uint256('tokenId')],
  },
  { type: 'error', name: 'ERC721NonexistentToken', inputs: [uint256('tokenId')] },
  { type: 'error', name: 'PositionToken__PermitExpired', inputs: [uint256('deadline')] },
  {
    type: 'error',
    name: 'PositionToken__PermitNotByOwner',
    inputs: [address('signer'), address('owner')],
  },
] as const

/** The name of an error `explainRevert` knows. */
export type RevertName = (typeof revertAbi)[number]['name']
