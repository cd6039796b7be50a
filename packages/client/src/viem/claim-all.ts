import { encodeFunctionData } from 'viem'
import { batchClaimCalldata, claimCalldata } from '../chain/claim-calldata.ts'
import type { Call } from '../chain/simulate-call.ts'
import type { Client as TallystickClient } from '../create-client.ts'
import { InvalidRequestError } from '../errors.ts'
import { positionAbi } from './abi.ts'
import type { ActionContext } from './action-context.ts'
import type {
  ClaimActionOptions,
  ClaimAllActionOptions,
  ClaimAllResult,
  ClaimedPosition,
  MinedTransaction,
  SkippedPosition,
} from './action-options.ts'
import {
  checkedOnChain,
  claim,
  findMissingIncome,
  findPositionToken,
  isApproved,
  readClaims,
  readLastReportedDay,
  unapproved,
  unclaimed,
} from './claim.ts'
import { findMatured, mapBounded } from './find-matured.ts'
import { assertOnlyUnapproved, findRejection, sendApproval, sendCall } from './transaction/send-call.ts'
import {
  nameError,
  rejectedCall,
  TransactionError,
  throwNamed,
  toTransactionError,
} from './transaction/transaction-error.ts'

// About 3 million gas.
const batchSizeDefault = 20
const batchSizeMax = 100
const tokenIdsMax = 1_000

type ClaimAll = ClaimAllActionOptions & { readonly client: Pick<TallystickClient, 'positions'> | undefined }

/** Positions to claim, and those that are left out. */
type Selection = Pick<ClaimAllResult, 'skipped'> & { readonly tokenIds: readonly bigint[] }

/** Claims positions in as few transactions as `batchSize` allows. Leaves out those that cannot be claimed, or not in full. */
export async function claimAll(context: ActionContext, options: ClaimAll): Promise<ClaimAllResult> {
  const batchSize = parseBatchSize(options.batchSize)
  const { acceptMissingIncome } = options
  const tokenIds = options.tokenIds
    ? parseTokenIds(options.tokenIds)
    : await findMatured(context, { client: options.client, countMax: tokenIdsMax })
  const [first, ...others] = tokenIds
  if (first === undefined) return { transactions: [], positions: [], skipped: [] }
  if (others.length === 0) return claimOne(context, { tokenId: first, acceptMissingIncome })
  context.step('simulate')
  const claimable = await leaveOut({ tokenIds, skipped: [] }, (tokenId) => findFault(context, tokenId))
  const complete = acceptMissingIncome === true ? claimable : await leaveOutIncomplete(context, claimable)
  await approveAll(context, complete.tokenIds)
  const { skipped, ...accepted } = await leaveOutRejected(context, { selection: complete, batchSize })
  return sendBatches(context, { batches: split(accepted.tokenIds, batchSize), skipped })
}

/** Claims the only position, with a permit where the wallet can. */
async function claimOne(
  context: ActionContext,
  options: Pick<ClaimActionOptions, 'tokenId' | 'acceptMissingIncome'>,
): Promise<ClaimAllResult> {
  try {
    const { position, ...mined } = await claim(context, options)
    return { transactions: [mined], positions: [position], skipped: [] }
  } catch (error) {
    const isFault = error instanceof TransactionError && error.hash === undefined && faultCodes.includes(error.code)
    throw isFault ? nothingToClaim([{ tokenId: options.tokenId, error }]) : error
  }
}

const faultCodes: readonly string[] = ['call_reverted', 'income_not_reported']

function split(tokenIds: readonly bigint[], batchSize: number): readonly (readonly bigint[])[] {
  return Array.from({ length: Math.ceil(tokenIds.length / batchSize) }, (_, index) =>
    tokenIds.slice(index * batchSize, (index + 1) * batchSize),
  )
}

function parseBatchSize(batchSize = batchSizeDefault): number {
  if (Number.isInteger(batchSize) && batchSize >= 1 && batchSize <= batchSizeMax) return batchSize
  const message = `\`batchSize\` ${batchSize} is not a whole number from 1 to ${batchSizeMax}.`
  throw new InvalidRequestError({ code: 'invalid_request', message })
}

function parseTokenIds(tokenIds: readonly bigint[]): readonly bigint[] {
  const distinct = [...new Set(tokenIds)]
  if (distinct.length <= tokenIdsMax) return distinct
  const message = `${distinct.length} positions are too many for one call. Claim at most ${tokenIdsMax}.`
  throw new InvalidRequestError({ code: 'invalid_request', message })
}

/** Moves the positions with a fault to the skipped ones. Throws the first fault if nothing is left to claim. */
async function leaveOut(
  { tokenIds, skipped }: Selection,
  findFaultOf: (tokenId: bigint) => Promise<TransactionError | undefined>,
): Promise<Selection> {
  const faults = await mapBounded(tokenIds, findFaultOf)
  const faulty = tokenIds.flatMap((tokenId, index) => {
    const error = faults[index]
    return error ? [{ tokenId, error }] : []
  })
  const left = { tokenIds: tokenIds.filter((_, index) => !faults[index]), skipped: [...skipped, ...faulty] }
  if (left.tokenIds.length === 0) throw nothingToClaim(left.skipped)
  return left
}

/** Returns the first reason with all of them. */
function nothingToClaim(skipped: readonly SkippedPosition[]): TransactionError {
  const { code, message, explanation, retryable, details, claimability, cause } = (skipped[0] as SkippedPosition).error
  return new TransactionError({ code, message, explanation, retryable, details, claimability, cause, skipped })
}

/** Simulates a claim, and returns why the contracts reject it. A missing approval is no fault. */
async function findFault(context: ActionContext, tokenId: bigint): Promise<TransactionError | undefined> {
  const { pool, beneficiary } = context
  const call = claimCalldata({ pool, beneficiary, tokenId, ...checkedOnChain })
  return assertOnlyUnapproved(context, { call, unapproved }).then(
    () => undefined,
    (error: unknown) => faultOf(error, tokenId),
  )
}

async function leaveOutIncomplete(context: ActionContext, selection: Selection): Promise<Selection> {
  const [positions, lastReportedDay] = await Promise.all([findPositionToken(context), readLastReportedDay(context)])
  return leaveOut(selection, (tokenId) =>
    findMissingIncome(context, { positions, tokenId, lastReportedDay }).catch((error: unknown) =>
      faultOf(rejectedCall(error), tokenId),
    ),
  )
}

/**
 * Simulates every batch before the first is sent. Some faults are found only now, because a claim without an approval fails
 * before them: for example a partner's vault on the denylist. Such positions are left out, and the others are claimed.
 */
async function leaveOutRejected(
  context: ActionContext,
  { selection, batchSize }: { readonly selection: Selection; readonly batchSize: number },
): Promise<Selection> {
  const { pool, beneficiary, parties, batch } = context
  // The approval goes with the first claims, so that none of them can be simulated.
  if (batch && batch.length > 0) return selection
  context.step('simulate')
  const rejection = await findBatchRejection(context, split(selection.tokenIds, batchSize))
  if (rejection === undefined) return selection
  const left = await leaveOut(selection, async (tokenId) => {
    const call = claimCalldata({ pool, beneficiary, tokenId, ...checkedOnChain })
    const error = await findRejection(context, call)
    return error === undefined ? undefined : faultOf(rejectedCall(error, { parties }), tokenId)
  })
  if (left.tokenIds.length === selection.tokenIds.length) throw rejectedCall(rejection, { parties })
  return leaveOutRejected(context, { selection: left, batchSize })
}

async function findBatchRejection(context: ActionContext, batches: readonly (readonly bigint[])[]): Promise<unknown> {
  for (const tokenIds of batches) {
    const error = await findRejection(context, encodeBatch(context, tokenIds))
    if (error !== undefined) return error
  }
  return undefined
}

function encodeBatch({ pool, beneficiary }: ActionContext, tokenIds: readonly bigint[]): Call {
  return batchClaimCalldata({
    pool,
    claims: tokenIds.map((tokenId) => ({ beneficiary, tokenId })),
    ...checkedOnChain,
  })
}

/** Returns the rejection of a claim. Any other error says nothing about the position, and is thrown. */
function faultOf(error: unknown, tokenId: bigint): TransactionError {
  if (error instanceof TransactionError && error.code === 'call_reverted') return nameError(error, tokenId)
  return throwNamed(error, tokenId)
}

/** Approves the missing positions: one alone, or with one transaction all that the account holds. */
async function approveAll(context: ActionContext, tokenIds: readonly bigint[]): Promise<void> {
  const { pool } = context
  const positions = await findPositionToken(context)
  const approved = await mapBounded(tokenIds, (tokenId) => isApproved(context, { positions, tokenId }))
  const [missing, ...others] = tokenIds.filter((_, index) => !approved[index])
  if (missing === undefined) return
  const data =
    others.length === 0
      ? encodeFunctionData({ abi: positionAbi, functionName: 'approve', args: [pool, missing] })
      : encodeFunctionData({ abi: positionAbi, functionName: 'setApprovalForAll', args: [pool, true] })
  await sendApproval(context, { to: positions, data, value: 0n })
}

async function sendBatches(
  context: ActionContext,
  { batches, skipped }: Pick<ClaimAllResult, 'skipped'> & { readonly batches: readonly (readonly bigint[])[] },
): Promise<ClaimAllResult> {
  const transactions: MinedTransaction[] = []
  const positions: ClaimedPosition[] = []
  for (const tokenIds of batches) {
    try {
      const mined = await sendCall(context, encodeBatch(context, tokenIds))
      const claims = readClaims(context, mined.receipt)
      transactions.push(mined)
      positions.push(...claims)
      const missing = tokenIds.find((tokenId) => !claims.some((claimed) => claimed.tokenId === tokenId))
      if (missing !== undefined) throw unclaimed(mined.hash, missing)
    } catch (error) {
      throw withClaimed(context, error, { transactions, positions, skipped })
    }
  }
  return { transactions, positions, skipped }
}

/** Adds the claims of earlier transactions to the error of a later one: they are paid. */
function withClaimed({ signal }: ActionContext, error: unknown, claimed: ClaimAllResult): unknown {
  if (claimed.transactions.length === 0) return error
  const failure = toTransactionError(error, signal)
  if (failure instanceof TransactionError) {
    const { code, message, explanation, hash, details, cause } = failure
    return new TransactionError({ code, message, explanation, hash, details, cause, claimed })
  }
  const message = `The action was aborted after ${claimed.positions.length} claims, which are paid.`
  return new TransactionError({ code: 'aborted', message, cause: failure, claimed })
}
