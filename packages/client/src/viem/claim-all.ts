import { type Address, encodeFunctionData, isAddressEqual } from 'viem'
import { readContract } from 'viem/actions'
import type { Call } from '../chain/call.ts'
import { batchClaimCalldata, claimCalldata } from '../chain/claim-calldata.ts'
import type { Client as TallystickClient } from '../create-client.ts'
import { InvalidRequestError } from '../errors.ts'
import { positionAbi } from './abi.ts'
import type { ActionContext } from './action-context.ts'
import type { ClaimAllActionOptions, ClaimAllResult, ClaimedPosition, MinedTransaction } from './action-options.ts'
import { claim, findPositionToken, isApproved, readClaims, unapproved, unclaimed } from './claim.ts'
import { isRevert } from './is-revert.ts'
import { assertOnlyUnapproved, findRejection, sendApproval, sendCall } from './send-call.ts'
import { rejectedCall, TransactionError, toTransactionError } from './transaction-error.ts'

// About 3 million gas.
const batchSizeDefault = 20
const batchSizeMax = 100
const tokenIdsMax = 1_000

type ClaimAll = ClaimAllActionOptions & { readonly client: Pick<TallystickClient, 'positions'> | undefined }

/** Claims positions in as few transactions as `batchSize` allows. */
export async function claimAll(context: ActionContext, options: ClaimAll): Promise<ClaimAllResult> {
  const batchSize = parseBatchSize(options.batchSize)
  const tokenIds = options.tokenIds ? parseTokenIds(options.tokenIds) : await findMatured(context, options.client)
  const [first, ...others] = tokenIds
  if (first === undefined) return { transactions: [], positions: [] }
  if (others.length === 0) {
    const { position, ...mined } = await claim(context, { tokenId: first })
    return { transactions: [mined], positions: [position] }
  }
  await assertClaimable(context, tokenIds)
  await approveAll(context, tokenIds)
  const batches = Array.from({ length: Math.ceil(tokenIds.length / batchSize) }, (_, index) =>
    tokenIds.slice(index * batchSize, (index + 1) * batchSize),
  )
  return sendBatches(context, batches)
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

/** Returns the account's matured positions, oldest first. The index may lag, so that the chain decides who holds them. */
async function findMatured(context: ActionContext, client: ClaimAll['client']): Promise<readonly bigint[]> {
  const { chainId, owner } = context
  if (!client) {
    const message = 'Without `tokenIds`, the positions are read from the service: use tallystickActions({ client }).'
    throw new InvalidRequestError({ code: 'invalid_request', message })
  }
  const [[result], now] = await Promise.all([client.positions(owner, { chains: [chainId] }), context.chainTime()])
  if (!result?.positions) {
    const message = `The positions on chain ${chainId} are not available: ${result?.errors?.[0]?.message ?? 'no answer'}`
    throw new TransactionError({ code: 'chain_failed', message, retryable: true })
  }
  const tokenIds = result.positions
    .filter(({ status, maturityTimestamp }) => status === 'Active' && maturityTimestamp <= now)
    .map(({ tokenId }) => tokenId)
    .sort((a, b) => (a < b ? -1 : 1))
    .slice(0, tokenIdsMax)
  const positions = await findPositionToken(context)
  const held = await mapBounded(tokenIds, (tokenId) => isHeld(context, { positions, tokenId }))
  return tokenIds.filter((_, index) => held[index])
}

/** Returns whether the account holds a position. A claimed one has no owner: the call reverts. */
async function isHeld(
  { client, owner }: ActionContext,
  { positions, tokenId }: { readonly positions: Address; readonly tokenId: bigint },
): Promise<boolean> {
  const call = { address: positions, abi: positionAbi, functionName: 'ownerOf', args: [tokenId] } as const
  return readContract(client, call).then(
    (holder) => isAddressEqual(holder, owner),
    (error: unknown) => (isRevert(error) ? false : throwNamed(rejectedCall(error), tokenId)),
  )
}

/** Simulates each claim, so that an error names its position and nothing was sent yet. */
async function assertClaimable(context: ActionContext, tokenIds: readonly bigint[]): Promise<void> {
  const { pool, beneficiary } = context
  context.step('simulate')
  await mapBounded(tokenIds, async (tokenId) => {
    const call = claimCalldata({ pool, beneficiary, tokenId })
    await assertOnlyUnapproved(context, { call, unapproved }).catch((error) => throwNamed(error, tokenId))
  })
}

function throwNamed(error: unknown, tokenId: bigint): never {
  if (!(error instanceof TransactionError)) throw error
  const { code, explanation, retryable, cause } = error
  const message = `Position ${tokenId}: ${error.message}`
  throw new TransactionError({ code, explanation, retryable, cause, message, details: { tokenId: String(tokenId) } })
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

async function sendBatches(context: ActionContext, batches: readonly (readonly bigint[])[]): Promise<ClaimAllResult> {
  const { pool, beneficiary } = context
  const calls = batches.map((tokenIds) => ({
    tokenIds,
    call: batchClaimCalldata({ pool, claims: tokenIds.map((tokenId) => ({ beneficiary, tokenId })) }),
  }))
  await assertAllSucceed(
    context,
    calls.map(({ call }) => call),
  )
  const transactions: MinedTransaction[] = []
  const positions: ClaimedPosition[] = []
  for (const { call, tokenIds } of calls) {
    try {
      const mined = await sendCall(context, call)
      const claims = readClaims(context, mined.receipt)
      transactions.push(mined)
      positions.push(...claims)
      const missing = tokenIds.find((tokenId) => !claims.some((claimed) => claimed.tokenId === tokenId))
      if (missing !== undefined) throw unclaimed(mined.hash, missing)
    } catch (error) {
      throw withClaimed(context, error, { transactions, positions })
    }
  }
  return { transactions, positions }
}

/** Simulates every batch before the first is sent. */
async function assertAllSucceed(context: ActionContext, calls: readonly Call[]): Promise<void> {
  context.step('simulate')
  for (const call of calls) {
    const error = await findRejection(context, call)
    if (error !== undefined) throw rejectedCall(error)
  }
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

const readsAtOnce = 10

async function mapBounded<Value, Result>(
  values: readonly Value[],
  map: (value: Value) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let start = 0; start < values.length; start += readsAtOnce) {
    results.push(...(await Promise.all(values.slice(start, start + readsAtOnce).map(map))))
  }
  return results
}
