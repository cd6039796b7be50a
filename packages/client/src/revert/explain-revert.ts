import { decodeErrorResult, type Hex } from 'viem'
import type { RevertParties } from './explanation.ts'
import { explained } from './explanations.ts'

/** Errors of the deployed contracts that lenders, partners and the reporter of floating income can meet. */
export const revertAbi = explained.map(({ error }) => error)

/** Name of an error that `explainRevert` explains. */
export type RevertName = (typeof explained)[number]['error']['name']

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

const explanations = new Map(explained.map(({ error, explanation }) => [error.name, explanation]))

/**
 * Explains a failed lend, claim, transfer, or call of a partner or reporter. Returns undefined if the error is not one of the
 * protocol's. Accepts an error of viem or another library, a response of a node, or the revert data. With the accounts of
 * the transaction, the explanation of a denylisted account says whose it is.
 *
 * @example
 * explainRevert('0xd93c0665')?.title // => 'The protocol is paused'
 * explainRevert(new Error('the network is gone')) // => undefined
 */
export function explainRevert(error: unknown, parties?: RevertParties): RevertExplanation | undefined {
  for (const candidate of findCandidates(error, new Set())) {
    const explanation =
      typeof candidate === 'string' ? explainData(candidate, parties) : explainNamed(candidate, parties)
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

function explainData(data: Hex, parties: RevertParties | undefined): RevertExplanation | undefined {
  const decoded = decode(data)
  if (decoded) return explainNamed(decoded, parties)
  // Some wallets return only the selector. It identifies the error, but not its arguments.
  const { errorName } = decode(`${data.slice(0, 10)}${'00'.repeat(96)}` as Hex) ?? {}
  return errorName === undefined ? undefined : explainNamed({ errorName }, parties)
}

function decode(data: Hex): NamedError | undefined {
  try {
    return decodeErrorResult({ abi: revertAbi, data })
  } catch {
    return undefined
  }
}

/** Explains a decoded error. `Error` and `Panic`, which viem decodes too, have no explanation. */
function explainNamed(
  { errorName, args = [] }: NamedError,
  parties: RevertParties | undefined,
): RevertExplanation | undefined {
  const name = errorName as RevertName
  const explanation = explanations.get(name)
  if (!explanation) return undefined
  const text = typeof explanation === 'function' ? explanation(args, parties) : explanation
  return { name, title: text.title, message: text.message, retryable: text.retryable ?? false, args }
}
