import { decodeErrorResult, type Hex } from 'viem'
import { type RevertName, revertAbi } from './revert-abi.ts'

/** Explanation of a revert. */
export type RevertExplanation = {
  /** Name of the contract's error. */
  readonly name: RevertName
  /** Short heading. */
  readonly title: string
  /** What happened and what to do, for the user. */
  readonly message: string
  /** Whether the same call can succeed later. */
  readonly retryable: boolean
  /** Arguments of the error. */
  readonly args: readonly unknown[]
}

type Explanation = Pick<RevertExplanation, 'title' | 'message' | 'retryable'>

const expiredPermit: Explanation = {
  title: 'The permit has expired',
  message: 'The permit for this transaction has expired. Sign a new one.',
  retryable: false,
}
const invalidPermit: Explanation = {
  title: 'The permit is invalid',
  message:
    'The permit was not signed by the owner, was signed for something else, or was already used. Sign a new one with the wallet that sends the transaction.',
  retryable: false,
}

const explanations: Readonly<Record<RevertName, Explanation>> = {
  FeedSignatureVerifier__FeedNotYetValid: {
    title: 'The note is not valid yet',
    message: 'The chain has not reached the first second of this note. Try again in a few seconds.',
    retryable: true,
  },
  FeedSignatureVerifier__FeedExpired: {
    title: 'The note has expired',
    message: 'Notes change at 00:00 and 18:00 New York time. Fetch the current notes and lend on one of them.',
    retryable: false,
  },
  FeedSignatureVerifier__InvalidSigner: {
    title: 'The note was not signed by the pool’s signer',
    message:
      'The note was signed by another key, for another pool or chain, or was altered. Do not use it. Fetch the current notes. If it happens again, contact the operator.',
    retryable: false,
  },
  FeedSignatureVerifier__InvalidSignature: {
    title: 'The note’s signature is invalid',
    message: 'No key can produce this signature. Send r, s and v exactly as the note contains them.',
    retryable: false,
  },
  FeedSignatureVerifier__InvalidMaturityTimestamp: {
    title: 'The note has matured',
    message: 'The note’s maturity is in the past. Fetch the current notes and lend on one of them.',
    retryable: false,
  },
  ReserveStabilityPool__InvalidCoupon: {
    title: 'The pool does not accept this coupon',
    message: 'The coupon is zero or above the pool’s limit. Contact the operator: such a note should not be on offer.',
    retryable: false,
  },
  ReserveStabilityPool__InvalidMaturity: {
    title: 'The note matures too soon',
    message: 'The pool requires more time between lending and maturity. Choose a longer tenor.',
    retryable: false,
  },
  ReserveStabilityPool__InsufficientPrincipal: {
    title: 'The amount is too small',
    message: 'The amount is below the pool’s minLendLimit. Lend more.',
    retryable: false,
  },
  ReserveStabilityPool__PartnerFeeChanged: {
    title: 'The partner’s fee has changed',
    message: 'The partner’s fee has changed since it was agreed to. Read it again and ask for consent.',
    retryable: false,
  },
  ReserveStabilityPool__NotPositionOwner: {
    title: 'The position is not yours',
    message: 'Only the wallet that holds a position can claim it. Send the claim from that wallet.',
    retryable: false,
  },
  ReserveStabilityPool__NotMatured: {
    title: 'The position has not matured',
    message: 'A position can be claimed from its maturity on. Try again then.',
    retryable: true,
  },
  ReserveStabilityPool__LengthMismatch: {
    title: 'The claims do not match',
    message: 'Pass exactly one beneficiary per position.',
    retryable: false,
  },
  EnforcedPause: {
    title: 'The pool is paused',
    message: 'Lending and claiming are suspended. No funds are lost. Try again later.',
    retryable: true,
  },
  ERC20InsufficientAllowance: {
    title: 'The allowance is too low',
    message: 'Approve the principal for the pool first, or lend with a permit.',
    retryable: false,
  },
  ERC20InsufficientBalance: {
    title: 'The balance is too low',
    message: 'The wallet holds less than the principal. Lend less, or top it up.',
    retryable: false,
  },
  ERC2612ExpiredSignature: expiredPermit,
  ERC2612InvalidSigner: invalidPermit,
  ERC721InsufficientApproval: {
    title: 'The position is not approved',
    message: 'Approve the position for the pool first, or claim with a permit.',
    retryable: false,
  },
  ERC721NonexistentToken: {
    title: 'The position does not exist',
    message: 'It was already claimed or never existed. Read the positions again.',
    retryable: false,
  },
  PositionToken__PermitExpired: expiredPermit,
  PositionToken__PermitNotByOwner: invalidPermit,
}

/**
 * Explains a failed lend or claim. Returns undefined if the error is not one of the protocol's. Accepts an error of viem or
 * another library, a response of a node, or the revert data.
 *
 * @example
 * explainRevert('0xd93c0665')?.title // => 'The pool is paused'
 * explainRevert(new Error('the network is gone')) // => undefined
 */
export function explainRevert(error: unknown): RevertExplanation | undefined {
  for (const candidate of findCandidates(error, new Set())) {
    const explanation = typeof candidate === 'string' ? explainData(candidate) : explainNamed(candidate)
    if (explanation) return explanation
  }
  return undefined
}

type NamedError = { readonly errorName: string; readonly args?: readonly unknown[] | undefined }

// Members in which libraries and nodes store revert data.
const members = [
  'data',
  'raw',
  'signature',
  'error',
  'info',
  'cause',
  'originalError',
  'message',
  'shortMessage',
  'details',
] as const

/** Yields possible revert data and decoded errors. `seen` guards against circular errors. */
function* findCandidates(value: unknown, seen: Set<unknown>): Generator<Hex | NamedError> {
  if (typeof value === 'string') {
    for (const [hex] of value.matchAll(/0x[0-9a-f]{8,}/gi)) yield hex.toLowerCase() as Hex
  }
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  if ('errorName' in value && typeof value.errorName === 'string') yield value as NamedError
  for (const member of members) yield* findCandidates((value as Readonly<Record<string, unknown>>)[member], seen)
}

function explainData(data: Hex): RevertExplanation | undefined {
  // Some wallets return only the selector. It identifies the error, but not its arguments.
  const withoutArguments = `${data.slice(0, 10)}${'00'.repeat(96)}` as Hex
  const found = decode(data) ?? decode(withoutArguments)
  return found && explainNamed(data.length > 10 ? found : { errorName: found.errorName })
}

function decode(data: Hex): NamedError | undefined {
  try {
    return decodeErrorResult({ abi: revertAbi, data })
  } catch {
    return undefined
  }
}

/** Explains a decoded error. `Error` and `Panic`, which viem decodes too, have no explanation. */
function explainNamed({ errorName, args = [] }: NamedError): RevertExplanation | undefined {
  if (!Object.hasOwn(explanations, errorName)) return undefined
  const name = errorName as RevertName
  return { name, ...explanations[name], args }
}
