import { lend, validatePriceFeed } from '@tallystick/contracts/pool-functions'
import type { Note } from '@tallystick/core'
import { type Address, encodeFunctionData, type Hex, zeroAddress, zeroHash } from 'viem'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import { callContract } from './call-contract.ts'
import { describeRevert, isLimitReason, type Revert, type RevertReason } from './describe-revert.ts'

/** Why a pool refuses a note. */
export type NoteRefusal = Pick<Revert, 'message' | 'signers'> & {
  readonly note: Note
  readonly reason: RevertReason | 'no_code'
}

/** Whether a pool accepts a set of notes: their signatures (`validatePriceFeed`), coupons and maturities (`lend`). */
export type PoolVerdict =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'refused'; readonly refusals: readonly [NoteRefusal, ...NoteRefusal[]] }
  /** The node does not support a block time other than the newest block's. */
  | { readonly outcome: 'time_unsupported'; readonly message: string }

type NotesCall = {
  readonly pool: Address
  readonly notes: readonly Note[]
  readonly atSeconds: bigint | undefined
  readonly knowsLimits: boolean
}

type NoteVerdict =
  | Exclude<PoolVerdict, { readonly outcome: 'refused' }>
  | ({ readonly outcome: 'refused' } & NoteRefusal)

/** Returns whether a pool accepts notes, by default at the newest block's time. */
export async function validateNotes(
  endpoint: RpcEndpoint,
  { pool, notes, ...options }: NotesCall,
): Promise<PoolVerdict> {
  const [isThere, ...verdicts] = await Promise.all([
    hasCode(endpoint, pool),
    ...notes.map((note) => validateNote(endpoint, { pool, note, ...options })),
  ])
  // A call to an address without code succeeds.
  const [first] = notes
  if (!isThere && first) {
    const message = `there is no contract at the pool’s address ${pool}`
    return { outcome: 'refused', refusals: [{ note: first, reason: 'no_code', message }] }
  }
  const unsupported = verdicts.find((verdict) => verdict.outcome === 'time_unsupported')
  if (unsupported) return unsupported
  const [refusal, ...others] = verdicts.filter((verdict) => verdict.outcome === 'refused')
  return refusal ? { outcome: 'refused', refusals: [refusal, ...others] } : { outcome: 'accepted' }
}

export async function hasCode(endpoint: RpcEndpoint, address: Address): Promise<boolean> {
  const code = await endpoint.call({ method: 'eth_getCode', params: [address, 'latest'] })
  if (typeof code === 'string' && code.startsWith('0x')) return code.length > '0x'.length
  throw new RpcError({ kind: 'malformed', message: 'responded to eth_getCode with a value that is not hex' })
}

type NoteCall = Omit<NotesCall, 'notes'> & { readonly note: Note }

async function validateNote(endpoint: RpcEndpoint, call: NoteCall): Promise<NoteVerdict> {
  const { note } = call
  const signature = encodeFunctionData({ abi: [validatePriceFeed], args: [note, note.signature] })
  const verdict = await callWithNote(endpoint, call, signature)
  if (verdict.outcome !== 'accepted' || call.knowsLimits) return verdict
  const limits = await callWithNote(endpoint, call, encodeEmptyLend(note))
  return limits.outcome === 'refused' && isLimitReason(limits.reason) ? limits : verdict
}

/**
 * Encodes a lend of nothing. The pool checks the coupon and the maturity against its limits, which have no getters, before
 * it refuses the principal.
 */
function encodeEmptyLend(note: Note): Hex {
  const params = { beneficiary: zeroAddress, partnerId: zeroHash, partnerFeeBPS: 0n, principal: 0n }
  return encodeFunctionData({ abi: [lend], args: [params, note, note.signature] })
}

async function callWithNote(
  endpoint: RpcEndpoint,
  { pool, note, atSeconds }: NoteCall,
  data: Hex,
): Promise<NoteVerdict> {
  const outcome = await callContract(endpoint, { to: pool, data, atSeconds })
  if ('value' in outcome) return { outcome: 'accepted' }
  if ('timeUnsupported' in outcome) return { outcome: 'time_unsupported', message: outcome.message }
  const { reason, message, signers } = describeRevert(outcome.revert)
  // Some nodes accept the override but ignore it. The pool then compares with the newest block's time.
  const isInWindow = atSeconds !== undefined && note.validAfter < atSeconds && atSeconds < note.validBefore
  if (isInWindow && (reason === 'FeedNotYetValid' || reason === 'FeedExpired')) {
    return { outcome: 'time_unsupported', message: 'ignored the requested block time' }
  }
  return { outcome: 'refused', note, reason, message, signers }
}
