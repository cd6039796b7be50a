// Only the functions that the actions call. The generated ABIs of the tokens are several times as large.

const address = { type: 'address' } as const
const uint256 = { type: 'uint256' } as const
const bytes32 = { type: 'bytes32' } as const
const text = { type: 'string' } as const
const view = { type: 'function', stateMutability: 'view' } as const
const write = { type: 'function', stateMutability: 'nonpayable' } as const
const signatureInputs = [{ type: 'uint8' }, bytes32, bytes32] as const

/** Functions of the dollar token: EIP-20 and EIP-2612. */
export const dollarAbi = [
  { ...view, name: 'allowance', inputs: [address, address], outputs: [uint256] },
  { ...view, name: 'balanceOf', inputs: [address], outputs: [uint256] },
  // Some tokens return nothing.
  { ...write, name: 'approve', inputs: [address, uint256], outputs: [] },
  { ...view, name: 'nonces', inputs: [address], outputs: [uint256] },
  { ...write, name: 'permit', inputs: [address, address, uint256, uint256, ...signatureInputs], outputs: [] },
] as const

const lendInfo = [
  { type: 'uint128', name: 'lendTimestamp' },
  { type: 'uint128', name: 'maturityTimestamp' },
  { ...uint256, name: 'coupon' },
  { ...uint256, name: 'principal' },
  { ...uint256, name: 'partnerFeeBPS' },
  { ...bytes32, name: 'partnerId' },
] as const

/** Functions of the position token: EIP-721, its permit, and the terms of a position. */
export const positionAbi = [
  { ...view, name: 'getLendInfo', inputs: [uint256], outputs: [{ type: 'tuple', components: lendInfo }] },
  { ...view, name: 'ownerOf', inputs: [uint256], outputs: [address] },
  { ...view, name: 'getApproved', inputs: [uint256], outputs: [address] },
  { ...view, name: 'isApprovedForAll', inputs: [address, address], outputs: [{ type: 'bool' }] },
  { ...write, name: 'approve', inputs: [address, uint256], outputs: [] },
  { ...write, name: 'setApprovalForAll', inputs: [address, { type: 'bool' }], outputs: [] },
  { ...view, name: 'nonces', inputs: [uint256], outputs: [uint256] },
  { ...write, name: 'permit', inputs: [address, uint256, uint256, ...signatureInputs], outputs: [] },
] as const

/** Functions of both tokens: their pause, and the domain of their permits. */
export const tokenAbi = [
  { ...view, name: 'paused', inputs: [], outputs: [{ type: 'bool' }] },
  { ...view, name: 'DOMAIN_SEPARATOR', inputs: [], outputs: [bytes32] },
  { ...view, name: 'name', inputs: [], outputs: [text] },
  { ...view, name: 'version', inputs: [], outputs: [text] },
] as const
