import { decodeErrorResult, type Hex } from 'viem'
import { type RevertName, revertAbi } from './revert-abi.ts'

/** A revert in plain words. */
export type RevertExplanation = {
  /** As the contract calls it. */
  readonly name: RevertName
  /** A few words for a heading. */
  readonly title: string
  /** What happened and what to do, for the person at the screen. */
  readonly message: string
  /** Whether the very same call can succeed later without anyone changing it. */
  readonly retryable: boolean
  /** What the contract gave with it. */
  readonly args: readonly unknown[]
}

type Explanation = Pick<RevertExplanation, 'title' | 'message' | 'retryable'>

const expiredPermit: Explanation = {
  title: 'The permit has expired',
  message: 'The permission that was signed for this transaction is too old. Sign a new one.',
  retryable: false,
}
const strangersPermit: Explanation = {
  title: 'The permit does not fit',
  message:
    'The permission was not signed by the owner, or it was signed for something else, or it was used before. Sign a new one with the wallet that sends the transaction.',
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
    title: 'The note is not by the pool’s signer',
    message:
      'The note was signed by somebody else, or for another pool or chain, or it was changed. Do not use it. Fetch the current notes, and tell the operator if it happens again.',
    retryable: false,
  },
  FeedSignatureVerifier__InvalidSignature: {
    title: 'The note’s signature is damaged',
    message: 'No key can have made this signature. Send r, s and v exactly as they came with the note.',
    retryable: false,
  },
  FeedSignatureVerifier__InvalidMaturityTimestamp: {
    title: 'The note has matured',
    message: 'The day this note is due is past. Fetch the current notes and lend on one of them.',
    retryable: false,
  },
  ReserveStabilityPool__InvalidCoupon: {
    title: 'The pool does not take this coupon',
    message: 'The coupon is zero or above the pool’s limit. Tell the operator: such a note should not be on offer.',
    retryable: false,
  },
  ReserveStabilityPool__InvalidMaturity: {
    title: 'The note matures too soon',
    message: 'The pool wants more time between the lend and the maturity. Choose a longer note.',
    retryable: false,
  },
  ReserveStabilityPool__InsufficientPrincipal: {
    title: 'The amount is too small',
    message: 'It is below the least the pool takes, which its minLendLimit says. Lend more.',
    retryable: false,
  },
  ReserveStabilityPool__PartnerFeeChanged: {
    title: 'The partner’s fee has changed',
    message:
      'The fee that was agreed to is not the partner’s fee any more. Read the fee again and ask for consent to it.',
    retryable: false,
  },
  ReserveStabilityPool__NotPositionOwner: {
    title: 'The position is not yours',
    message: 'Only the wallet that holds a position can claim it. Send the claim from that wallet.',
    retryable: false,
  },
  ReserveStabilityPool__NotMatured: {
    title: 'The position has not matured',
    message: 'It can be claimed from its maturity on. Try again then.',
    retryable: true,
  },
  ReserveStabilityPool__LengthMismatch: {
    title: 'The claims do not fit together',
    message: 'There must be exactly one beneficiary for each position.',
    retryable: false,
  },
  EnforcedPause: {
    title: 'The pool is paused',
    message: 'Lending and claiming are stopped for now. Nothing is lost; try again later.',
    retryable: true,
  },
  ERC20InsufficientAllowance: {
    title: 'The pool may not take that much',
    message: 'Approve the principal to the pool first, or lend with a permit.',
    retryable: false,
  },
  ERC20InsufficientBalance: {
    title: 'There is not enough money',
    message: 'The wallet holds less than the principal. Lend less, or top it up.',
    retryable: false,
  },
  ERC2612ExpiredSignature: expiredPermit,
  ERC2612InvalidSigner: strangersPermit,
  ERC721InsufficientApproval: {
    title: 'The pool may not take the position',
    message: 'Approve the position to the pool first, or claim with a permit.',
    retryable: false,
  },
  ERC721NonexistentToken: {
    title: 'There is no such position',
    message: 'It was claimed already, or never was. Read the positions again.',
    retryable: false,
  },
  PositionToken__PermitExpired: expiredPermit,
  PositionToken__PermitNotByOwner: strangersPermit,
}

/**
 * What a failed lend or claim means, in plain words, or undefined where it is none of the protocol's errors. Takes what
 * viem throws, what other libraries throw, an answer of a node, or the revert data itself.
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

// Where libraries and nodes put revert data, each in its own place.
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

/** Whatever may be revert data, or an error somebody decoded before. Errors can hold themselves, hence `seen`. */
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
  // Some wallets pass on the selector alone: enough to tell which error it is, not what came with it.
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

/** viem decodes `Error` and `Panic` too; their own texts say more than ours could. */
function explainNamed({ errorName, args = [] }: NamedError): RevertExplanation | undefined {
  if (!Object.hasOwn(explanations, errorName)) return undefined
  const name = errorName as RevertName
  return { name, ...explanations[name], args }
}
