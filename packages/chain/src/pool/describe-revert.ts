import * as errors from '@tallystick/contracts/errors'
import { type Address, decodeErrorResult, type Hex } from 'viem'

type WithoutContract<Name extends string> = Name extends `${string}__${infer Reason}` ? Reason : Name

/** Name of an error without its contract, such as `InvalidCoupon`. */
export type RevertReason = WithoutContract<ErrorName> | 'unknown'

export type Revert = {
  readonly reason: RevertReason
  /** Clause without a full stop. */
  readonly message: string
  /** Signer of the note and the pool's own. Only of `InvalidSigner`. */
  readonly signers?: { readonly recovered: Address; readonly registered: Address } | undefined
}

/** Returns whether a pool refuses a note because of its limits of coupon and maturity. */
export function isLimitReason(reason: RevertReason | 'no_code'): boolean {
  return reason === 'InvalidCoupon' || reason === 'InvalidMaturity'
}

/** Describes the revert data of a pool. */
export function describeRevert(data: Hex): Revert {
  if (data.length < 10) {
    return { reason: 'unknown', message: 'the contract reverted without a reason (is it a pool of this protocol?)' }
  }
  try {
    const { errorName, args } = decodeErrorResult({ abi: describedErrors, data })
    const reason = errorName.replace(/^.*__/, '') as RevertReason
    const message = messages[errorName]((args ?? []) as readonly unknown[])
    if (errorName !== 'FeedSignatureVerifier__InvalidSigner') return { reason, message }
    const [recovered, registered] = args
    return { reason, message, signers: { recovered, registered } }
  } catch {
    return { reason: 'unknown', message: `the pool reverted with an unknown error (selector ${data.slice(0, 10)})` }
  }
}

/** Errors that reject a note. */
const describedErrors = [
  errors.FeedSignatureVerifier__FeedNotYetValid,
  errors.FeedSignatureVerifier__FeedExpired,
  errors.FeedSignatureVerifier__InvalidMaturityTimestamp,
  errors.FeedSignatureVerifier__InvalidSignature,
  errors.FeedSignatureVerifier__InvalidSigner,
  errors.ReserveStabilityPool__InsufficientPrincipal,
  errors.ReserveStabilityPool__InvalidCoupon,
  errors.ReserveStabilityPool__InvalidMaturity,
  errors.EnforcedPause,
] as const

type ErrorName = (typeof describedErrors)[number]['name']

const messages: Readonly<Record<ErrorName, (args: readonly unknown[]) => string>> = {
  FeedSignatureVerifier__FeedNotYetValid: ([validAfter]) =>
    `the note is not valid yet at the chain's time: validAfter is ${validAfter} (FeedNotYetValid)`,
  FeedSignatureVerifier__FeedExpired: ([validBefore]) =>
    `the note has expired at the chain's time: validBefore is ${validBefore} (FeedExpired)`,
  FeedSignatureVerifier__InvalidMaturityTimestamp: ([maturity]) =>
    `its maturity ${maturity} is in the past at the chain's time (InvalidMaturityTimestamp)`,
  FeedSignatureVerifier__InvalidSignature: () => 'no key can produce its signature (InvalidSignature)',
  FeedSignatureVerifier__InvalidSigner: ([signer, expected]) =>
    `the pool accepts notes signed by ${expected}, but this one was signed by ${signer} (InvalidSigner)`,
  ReserveStabilityPool__InsufficientPrincipal: () => 'the principal is below the pool’s limit (InsufficientPrincipal)',
  ReserveStabilityPool__InvalidCoupon: () => 'its coupon is outside the pool’s limit (InvalidCoupon)',
  ReserveStabilityPool__InvalidMaturity: () => 'its maturity is sooner than the pool’s limit (InvalidMaturity)',
  EnforcedPause: () => 'the pool is paused (EnforcedPause)',
}
