import { type Hash, type Hex, keccak256, type LocalAccount, type TransactionReceipt } from 'viem'
import { sendTransaction } from 'viem/actions'
import { type Call, simulateCall } from '../../chain/simulate-call.ts'
import { explainRevert, type RevertName } from '../../revert/explain-revert.ts'
import type { ActionContext } from '../action-context.ts'
import type { MinedTransaction } from '../action-options.ts'
import { executeCalls } from './execute-calls.ts'
import { isRevert } from './is-revert.ts'
import { isRefusal, lostAnswer } from './submission.ts'
import { keepHash, rejectedCall, TransactionError } from './transaction-error.ts'
import { waitForReceipt } from './wait-for-receipt.ts'

// The newest block may be older than the boundary or the maturity. The next one will not be.
const early: readonly RevertName[] = [
  'FeedSignatureVerifier__FeedNotYetValid',
  'ReserveStabilityPool__MaturityNotPassed',
]

/** Returns the error with which a call would end now, or undefined if it would succeed. */
export async function findRejection({ client, owner }: ActionContext, call: Call): Promise<unknown> {
  const simulation = await simulateCall(client, { from: owner, call })
  if (simulation.ok) return undefined
  if (!simulation.explanation || !early.includes(simulation.explanation.name)) return simulation.error
  const pending = await simulateCall(client, { from: owner, call, blockTag: 'pending' })
  if (pending.ok) return undefined
  return pending.explanation ? pending.error : simulation.error
}

/** Simulates a call that still lacks an approval. Throws unless it succeeds or only the approval is missing. */
export async function assertOnlyUnapproved(
  context: ActionContext,
  { call, unapproved }: { readonly call: Call; readonly unapproved: readonly RevertName[] },
): Promise<void> {
  const error = await findRejection(context, call)
  if (error === undefined) return
  const explanation = explainRevert(error)
  // A revert that is not the protocol's may be the token's own way to report the missing allowance.
  const isUnapproved = explanation ? unapproved.includes(explanation.name) : isRevert(error)
  if (!isUnapproved) throw rejectedCall(error, { parties: context.parties })
}

/**
 * Simulates, sends and awaits a transaction. `validBefore` is the Unix time in seconds from which the contracts reject it.
 * With approvals in its batch it is not simulated: it would lack them. Without them it was simulated before.
 */
export async function sendCall(
  context: ActionContext,
  { validBefore, ...call }: Call & { readonly validBefore?: bigint | undefined },
): Promise<MinedTransaction> {
  context.step('simulate')
  const approvals = context.batch?.splice(0) ?? []
  const error = approvals.length > 0 ? undefined : await findRejection(context, call)
  if (error !== undefined) throw rejectedCall(error, { parties: context.parties })
  await context.assertChain()
  context.step('send')
  const hash = context.batch
    ? await executeCalls(context, { calls: [...approvals, call], validBefore })
    : await submitCall(context, call)
  return keepHash(hash, async () => {
    context.step('wait', hash)
    const mined = await awaitSuccess(context, { call, hash })
    context.step('done', mined.hash)
    return mined
  })
}

/** Sends and awaits an approval, or adds it to the batch of the next transaction. */
export async function sendApproval(context: ActionContext, call: Call): Promise<void> {
  if (context.batch) {
    context.batch.push(call)
    return
  }
  await context.assertChain()
  context.step('approve')
  const hash = await submitCall(context, call)
  await keepHash(hash, async () => {
    context.step('approve', hash)
    await awaitSuccess(context, { call, hash })
  })
}

async function awaitSuccess(
  context: ActionContext,
  { call, hash }: { readonly call: Call; readonly hash: Hash },
): Promise<MinedTransaction> {
  const receipt = await waitForReceipt(context, hash)
  const minedHash = receipt.transactionHash
  if (receipt.status === 'success') return { hash: minedHash, receipt }
  const reason = await findRevertReason(context, { call, receipt })
  if (explainRevert(reason)) throw rejectedCall(reason, { hash: minedHash, parties: context.parties })
  const message = `Transaction ${minedHash} was mined, but reverted. Nothing was lent or claimed.`
  throw new TransactionError({ code: 'call_reverted', message, hash: minedHash, cause: reason })
}

/** Runs a reverted call again in the state of its block. Returns its error, or undefined if it succeeds there. */
async function findRevertReason(
  { client, owner }: ActionContext,
  { call, receipt }: { readonly call: Call; readonly receipt: TransactionReceipt },
): Promise<unknown> {
  const transaction = { from: owner, to: call.to, data: call.data }
  const blockNumber: Hex = `0x${receipt.blockNumber.toString(16)}`
  try {
    await client.request({ method: 'eth_call', params: [transaction, blockNumber] } as never)
    return undefined
  } catch (error) {
    return error
  }
}

/**
 * Sends a transaction and returns its hash. An error of the request does not prove that nothing was sent: the answer may
 * have been lost. Unless the error is a refusal, the transaction is regarded as sent. A local account's hash is known
 * before, so that its receipt is awaited. Otherwise the error is `transaction_pending` without a hash.
 */
async function submitCall({ client, account }: ActionContext, call: Call): Promise<Hash> {
  let signed: Hex | undefined
  const onSigned = (serialized: Hex) => {
    signed = serialized
  }
  // `null`: `assertChain` compared the chain.
  const chain = client.chain ?? null
  try {
    if (account.type !== 'local') return await sendTransaction(client, { account, chain, ...call })
    return await sendTransaction(client, { account: observeSigning(account, onSigned), chain, ...call })
  } catch (error) {
    const isSigned = account.type !== 'local' || signed !== undefined
    if (!isSigned || isRefusal(error)) throw error
    // The hash of an EIP-712 transaction of zkSync is not that of its bytes.
    if (signed !== undefined && !signed.startsWith('0x71')) return keccak256(signed)
    throw lostAnswer(error)
  }
}

function observeSigning(account: LocalAccount, onSigned: (serialized: Hex) => void): LocalAccount {
  const signTransaction: LocalAccount['signTransaction'] = async (transaction, options) => {
    const serialized = await account.signTransaction(transaction, options)
    onSigned(serialized as Hex)
    return serialized
  }
  return { ...account, signTransaction }
}
