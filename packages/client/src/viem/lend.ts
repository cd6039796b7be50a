import { getPartnerInfoById, paraUSD } from '@tallystick/contracts/pool-functions'
import { type Address, encodeFunctionData, isAddressEqual, maxUint256, parseEventLogs } from 'viem'
import { getBlock, readContract } from 'viem/actions'
import { type LendOptions, lendCalldata, permitLendCalldata } from '../chain/lend-calldata.ts'
import { permitLendTypedData } from '../chain/permit-typed-data.ts'
import { poolEventAbi } from '../chain/pool-event-abi.ts'
import { type Call, simulateCall } from '../chain/simulate-call.ts'
import { InvalidRequestError } from '../errors.ts'
import { noteStatus } from '../notes/note-status.ts'
import { explainRevert, type RevertName } from '../revert/explain-revert.ts'
import { dollarAbi } from './abi.ts'
import type { ActionContext } from './action-context.ts'
import type { LendActionOptions, LendResult, LentPosition, MinedTransaction } from './action-options.ts'
import { findPositionToken } from './claim.ts'
import { findPermitToken, impossibleSignature, readOptional, signPermit } from './permit.ts'
import { isRevert } from './transaction/is-revert.ts'
import { assertOnlyUnapproved, findRejection, sendApproval, sendCall } from './transaction/send-call.ts'
import { keepHash, noteExpired, rejectedCall, TransactionError } from './transaction/transaction-error.ts'
import { readPatiently } from './transaction/wait-for-receipt.ts'

const unapproved: readonly RevertName[] = ['ERC20InsufficientAllowance', 'ReserveStabilityPool__InsufficientAllowance']

/** Lends on a note: with the present allowance, with a permit, or with an approval. */
export async function lend(context: ActionContext, options: LendActionOptions): Promise<LendResult> {
  const { note, principal } = options
  if (principal <= 0n || principal > maxUint256) {
    const message = `The principal ${principal} is not an amount. Use the token's smallest unit, from 1 to 2^256 - 1.`
    throw new InvalidRequestError({ code: 'invalid_request', message })
  }
  await context.assertChain()
  await assertUsable(context, options)
  const [token, partnerFeeBPS] = await Promise.all([findToken(context, options), findPartnerFee(context, options)])
  const { pool, beneficiary } = context
  const terms = { pool, note, beneficiary, principal, partnerId: options.partnerId, partnerFeeBPS }
  const call = await authorize(context, { token, terms })
  // The wallet may have been open for hours.
  await assertUsable(context, options)
  const mined = await sendCall(context, { ...call, validBefore: note.validBefore })
  return { ...mined, position: await keepHash(mined.hash, () => readPosition(context, mined)) }
}

async function assertUsable({ chainTime }: ActionContext, { note }: LendActionOptions): Promise<void> {
  // Not whether the window has begun: the newest block may be older than the boundary.
  if (noteStatus(note, await chainTime()) === 'expired') throw noteExpired()
}

async function findToken({ client, pool }: ActionContext, { token }: LendActionOptions): Promise<Address> {
  return token ?? readContract(client, { address: pool, abi: [paraUSD], functionName: 'paraUSD' })
}

async function findPartnerFee({ client, pool }: ActionContext, options: LendActionOptions): Promise<bigint> {
  const { partnerId, partnerFeeBPS } = options
  if (partnerFeeBPS !== undefined || partnerId === undefined || /^0x0+$/.test(partnerId)) return partnerFeeBPS ?? 0n
  const abi = [getPartnerInfoById] as const
  const { feeBPS } = await readContract(client, {
    address: pool,
    abi,
    functionName: 'getPartnerInfoById',
    args: [partnerId],
  })
  return BigInt(feeBPS)
}

type Lend = { readonly token: Address; readonly terms: LendOptions }

/** Returns the call that lends, after the pool may take the principal. */
async function authorize(context: ActionContext, lend: Lend): Promise<Call> {
  const { client, owner, pool } = context
  const { principal } = lend.terms
  const [allowance, balance] = await Promise.all([
    readContract(client, { address: lend.token, abi: dollarAbi, functionName: 'allowance', args: [owner, pool] }),
    readContract(client, { address: lend.token, abi: dollarAbi, functionName: 'balanceOf', args: [owner] }),
  ])
  const call = lendCalldata(lend.terms)
  if (allowance >= principal) return call
  // Before the wallet is asked for anything: a pause, the denylist or a limit stops the lend here.
  context.step('simulate')
  await assertOnlyUnapproved(context, { call, unapproved })
  await assertNotPaused(context, lend.token)
  // ParabolUSD__InsufficientBalance()
  if (balance < principal) throw rejectedCall('0x2240b374')
  const permitted = await permitLend(context, lend)
  if (permitted) return permitted
  await approveDollars(context, { token: lend.token, amount: principal, allowance })
  return call
}

/** Returns the call with a permit, or undefined if the token or the wallet cannot do that. */
async function permitLend(context: ActionContext, { token, terms }: Lend): Promise<Call | undefined> {
  const { client, owner, pool, chainId } = context
  const { principal, note } = terms
  const deadline = note.validBefore
  const probe = encodeFunctionData({
    abi: dollarAbi,
    functionName: 'permit',
    args: [owner, pool, principal, deadline, ...impossibleSignature],
  })
  const permitToken = await findPermitToken(context, { token, probe })
  if (!permitToken) return undefined
  const nonce = await readContract(client, { address: token, abi: dollarAbi, functionName: 'nonces', args: [owner] })
  const typedData = permitLendTypedData({ token: permitToken, chainId, owner, pool, principal, nonce, deadline })
  const permit = await signPermit(context, typedData, deadline)
  if (!permit) return undefined
  const call = permitLendCalldata({ ...terms, permit })
  // The pool ignores a permit that the token rejects. Then the allowance is missing.
  const rejection = explainRevert(await findRejection(context, call))
  return rejection && unapproved.includes(rejection.name) ? undefined : call
}

/** Throws if a token is paused. The simulation does not get that far: the missing allowance stops it before. */
async function assertNotPaused(context: ActionContext, dollar: Address): Promise<void> {
  const tokens = [dollar, await findPositionToken(context)]
  const reads = tokens.map((token) => readOptional(context, { token, getter: 'paused' }))
  // EnforcedPause()
  if ((await Promise.all(reads)).includes(true)) throw rejectedCall('0xd93c0665')
}

async function readPosition(context: ActionContext, { receipt, hash }: MinedTransaction): Promise<LentPosition> {
  const { client, chainId, pool, owner } = context
  const events = parseEventLogs({ abi: poolEventAbi, eventName: 'Lend', logs: receipt.logs })
  const event = events.find(
    ({ address, args }) => isAddressEqual(address, pool) && isAddressEqual(args.initiator, owner),
  )
  if (!event) {
    const message = `Transaction ${hash} was mined, but its receipt has no lend of this account. Check your positions.`
    throw new TransactionError({ code: 'transaction_replaced', message, hash })
  }
  const { timestamp } = await readPatiently(context, () => getBlock(client, { blockHash: receipt.blockHash }))
  const { initiator: _, beneficiary, ...terms } = event.args
  return { chainId, pool, owner: beneficiary, lendTimestamp: timestamp, ...terms }
}

/** Approves exactly the amount. Some tokens, such as USDT, allow a change only from or to 0: they get a 0 first. */
async function approveDollars(
  context: ActionContext,
  { token, amount, allowance }: { readonly token: Address; readonly amount: bigint; readonly allowance: bigint },
): Promise<void> {
  const approve = (value: bigint): Call => {
    const data = encodeFunctionData({ abi: dollarAbi, functionName: 'approve', args: [context.pool, value] })
    return { to: token, data, value: 0n }
  }
  if (allowance > 0n && !(await isAccepted(context, approve(amount)))) await sendApproval(context, approve(0n))
  await sendApproval(context, approve(amount))
}

async function isAccepted({ client, owner }: ActionContext, call: Call): Promise<boolean> {
  const simulation = await simulateCall(client, { from: owner, call })
  if (!simulation.ok && !isRevert(simulation.error)) throw simulation.error
  // Some tokens return false instead of a revert.
  return simulation.ok && !/^0x0+$/.test(simulation.data)
}
