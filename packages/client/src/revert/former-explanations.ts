import { type Explanation, expiredPermit, invalidPermit, notOwner } from './explanation.ts'

/** Errors of the sandbox's contracts until they have those of the deployed ones. */
export const formerAbi = [
  { type: 'error', name: 'ReserveStabilityPool__NotPositionOwner', inputs: [{ type: 'uint256' }, { type: 'address' }] },
  { type: 'error', name: 'ReserveStabilityPool__NotMatured', inputs: [{ type: 'uint128' }] },
  { type: 'error', name: 'ReserveStabilityPool__LengthMismatch', inputs: [] },
  { type: 'error', name: 'PositionToken__PermitExpired', inputs: [{ type: 'uint256' }] },
  { type: 'error', name: 'PositionToken__PermitNotByOwner', inputs: [{ type: 'address' }, { type: 'address' }] },
] as const

export const formerExplanations: Readonly<Record<string, Explanation>> = {
  ReserveStabilityPool__NotPositionOwner: notOwner,
  ReserveStabilityPool__NotMatured: {
    title: 'The position has not matured',
    message: 'A position can be claimed from its maturity on. Try again then.',
    retryable: true,
  },
  ReserveStabilityPool__LengthMismatch: {
    title: 'The lists differ in length',
    message: 'Pass exactly one beneficiary per position.',
    retryable: false,
  },
  PositionToken__PermitExpired: expiredPermit,
  PositionToken__PermitNotByOwner: invalidPermit,
}
