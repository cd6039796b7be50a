import {
  accFloatingIncome,
  lastFloatingIncomeUpdateDay,
  nonFungibleNotePosition,
} from '@tallystick/contracts/pool-functions'
import {
  type Address,
  encodeFunctionData,
  type Hash,
  isAddressEqual,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem'
import { readContract } from 'viem/actions'
import { claimCalldata, permitClaimCalldata } from '../chain/claim-calldata.ts'
import { permitClaimTypedData } from '../chain/permit-typed-data.ts'
import { poolEventAbi } from '../chain/pool-event-abi.ts'
import type { Call } from '../chain/simulate-call.ts'
import { type ClaimTerms, claimability, type ReportedIncome, utcDayOf } from '../income/claimability.ts'
import { describeMissingIncome } from '../income/income-not-reported.ts'
import { explainRevert, type RevertName } from '../revert/explain-revert.ts'
import { positionAbi } from './abi.ts'
import type { ActionContext } from './action-context.ts'
import type { ClaimActionOptions, ClaimedPosition, ClaimResult } from './action-options.ts'
import { findPermitToken, impossibleSignature, signPermit } from './permit.ts'
import { assertOnlyUnapproved, findRejection, sendApproval, sendCall } from './transaction/send-call.ts'
import { TransactionError } from './transaction/transaction-error.ts'

export const unapproved: readonly RevertName[] = [
  'NonFungibleNotePosition__TokenNotApproved',
  'ReserveStabilityPool__TokenNotApproved',
  'ERC721InsufficientApproval',
]

// Long enough for a wallet that stays open. The permit is good for one claim by its holder.
const permitSeconds = 86_400n

/** Claims a position: with the present approval, with a permit, or with an approval. */
export async function claim(context: ActionContext, options: Claim): Promise<ClaimResult> {
  const { tokenId } = options
  const mined = await sendCall(context, await authorize(context, options))
  const position = readClaims(context, mined.receipt).find((claimed) => claimed.tokenId === tokenId)
  if (position) return { ...mined, position }
  throw unclaimed(mined.hash, tokenId)
}

type Claim = Pick<ClaimActionOptions, 'tokenId' | 'acceptMissingIncome'>

export function unclaimed(hash: Hash, tokenId: bigint): TransactionError {
  const message = `Transaction ${hash} was mined, but its receipt has no claim of position ${tokenId}. Check your positions.`
  return new TransactionError({ code: 'transaction_replaced', message, hash })
}

/** Returns the call that claims, after the pool may take the position. */
async function authorize(context: ActionContext, { tokenId, acceptMissingIncome }: Claim): Promise<Call> {
  const { pool, beneficiary } = context
  const call = claimCalldata({ pool, beneficiary, tokenId, ...checkedOnChain })
  context.step('simulate')
  await assertOnlyUnapproved(context, { call, unapproved })
  const positions = await findPositionToken(context)
  if (acceptMissingIncome !== true) await assertComplete(context, { positions, tokenId })
  if (await isApproved(context, { positions, tokenId })) return call
  const permitted = await permitClaim(context, { positions, tokenId })
  if (permitted) return permitted
  const data = encodeFunctionData({ abi: positionAbi, functionName: 'approve', args: [pool, tokenId] })
  await sendApproval(context, { to: positions, data, value: 0n })
  return call
}

/** The actions read the last reported day from the pool itself, and do not ask for the terms of the position. */
export const checkedOnChain = { acceptMissingIncome: true } as const

/** Position token and id of a position. */
export type PositionReference = { readonly positions: Address; readonly tokenId: bigint }

async function assertComplete(context: ActionContext, position: PositionReference): Promise<void> {
  const lastReportedDay = await readLastReportedDay(context)
  const error = await findMissingIncome(context, { ...position, lastReportedDay })
  if (error) throw error
}

export function findPositionToken({ client, pool }: ActionContext): Promise<Address> {
  const abi = [nonFungibleNotePosition] as const
  return readContract(client, { address: pool, abi, functionName: 'nonFungibleNotePosition' })
}

export async function isApproved(
  { client, pool, owner }: ActionContext,
  { positions, tokenId }: PositionReference,
): Promise<boolean> {
  const token = { address: positions, abi: positionAbi } as const
  const [approved, isForAll] = await Promise.all([
    readContract(client, { ...token, functionName: 'getApproved', args: [tokenId] }),
    readContract(client, { ...token, functionName: 'isApprovedForAll', args: [owner, pool] }),
  ])
  return isForAll || isAddressEqual(approved, pool)
}

/** Returns the call with a permit, or undefined if the token or the wallet cannot do that. */
async function permitClaim(
  context: ActionContext,
  { positions, tokenId }: PositionReference,
): Promise<Call | undefined> {
  const { client, pool, chainId, beneficiary } = context
  const deadline = (await context.chainTime()) + permitSeconds
  const args = [pool, tokenId, deadline, ...impossibleSignature] as const
  const probe = encodeFunctionData({ abi: positionAbi, functionName: 'permit', args })
  const token = await findPermitToken(context, { token: positions, probe })
  if (!token) return undefined
  const reads = { address: positions, abi: positionAbi } as const
  const nonce = await readContract(client, { ...reads, functionName: 'nonces', args: [tokenId] })
  const typedData = permitClaimTypedData({ positions: token, chainId, pool, tokenId, nonce, deadline })
  const permit = await signPermit(context, typedData, deadline)
  if (!permit) return undefined
  const call = permitClaimCalldata({ pool, beneficiary, tokenId, permit, ...checkedOnChain })
  const rejection = explainRevert(await findRejection(context, call))
  return rejection && unapproved.includes(rejection.name) ? undefined : call
}

/** Returns the claims of a receipt. */
export function readClaims({ chainId, pool }: ActionContext, { logs }: TransactionReceipt): readonly ClaimedPosition[] {
  return parseEventLogs({ abi: poolEventAbi, eventName: 'Claim', logs })
    .filter(({ address }) => isAddressEqual(address, pool))
    .map(({ args: { initiator: _, ...claimed } }) => {
      const paid = claimed.principal + claimed.totalIncome - claimed.fee
      return { chainId, pool, ...claimed, paid }
    })
}

/** Returns the last day whose floating income the pool has at the newest block. It never decreases. */
export function readLastReportedDay({ client, pool }: ActionContext): Promise<bigint> {
  const abi = [lastFloatingIncomeUpdateDay] as const
  return readContract(client, { address: pool, abi, functionName: 'lastFloatingIncomeUpdateDay' })
}

/** Returns the error of a claim that would lose income, or undefined if the pool has all of it. */
export async function findMissingIncome(
  context: ActionContext,
  { positions, tokenId, lastReportedDay }: PositionReference & { readonly lastReportedDay: bigint },
): Promise<TransactionError | undefined> {
  const reads = { address: positions, abi: positionAbi } as const
  const terms = await readContract(context.client, { ...reads, functionName: 'getLendInfo', args: [tokenId] })
  if (lastReportedDay >= utcDayOf(terms.maturityTimestamp)) return undefined
  const found = claimability(terms, await readReported(context, { terms, lastReportedDay }))
  return new TransactionError({ ...describeMissingIncome(tokenId, found), retryable: true })
}

/** Reads the sums that the income of an incomplete position depends on. */
async function readReported(
  { client, pool, chainTime }: ActionContext,
  { terms, lastReportedDay }: { readonly terms: ClaimTerms; readonly lastReportedDay: bigint },
): Promise<ReportedIncome> {
  const lendDay = utcDayOf(terms.lendTimestamp)
  const days = [lendDay - 1n, lendDay, lastReportedDay - 1n, lastReportedDay].filter(
    (day) => day >= 0n && day <= lastReportedDay,
  )
  const abi = [accFloatingIncome] as const
  const [now, ...sums] = await Promise.all([
    chainTime(),
    ...days.map((day) => readContract(client, { address: pool, abi, functionName: 'accFloatingIncome', args: [day] })),
  ])
  const sumOf = new Map(days.map((day, index) => [day, sums[index]]))
  return { now, lastUpdatedDay: lastReportedDay, accFloatingIncome: (day) => sumOf.get(day) ?? 0n }
}
