import { type Hash, type Hex, keccak256, type LocalAccount, type TransactionReceipt } from 'viem'
import { sendTransaction } from 'viem/actions'
import { type Call, simulateCall } from '../../chain/simulate-call.ts'
import { explainRevert, type RevertName } from '../../revert/explain-revert.ts'
import type { ActionContext } from '../action-context.ts'
import type { MinedTransaction } from '../action-options.ts'
import { isRevert, partsOfError, textOfPart } from './is-revert.ts'
import { describeError, isRejectedByUser, keepHash, rejectedCall, TransactionError } from './transaction-error.ts'
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

/** Simulates, sends and awaits a transaction. */
export async function sendCall(context: ActionContext, call: Call): Promise<MinedTransaction> {
  context.step('simulate')
  const error = await findRejection(context, call)
  if (error !== undefined) throw rejectedCall(error, { parties: context.parties })
  await context.assertChain()
  context.step('send')
  const hash = await submitCall(context, call)
  return keepHash(hash, async () => {
    context.step('wait', hash)
    const mined = await awaitSuccess(context, { call, hash })
    context.step('done', mined.hash)
    return mined
  })
}

/** Sends and awaits an approval. */
export async function sendApproval(context: ActionContext, call: Call): Promise<void> {
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
    const message = `The wallet or its node failed while it sent the transaction: ${describeError(error)} The transaction may have been sent nevertheless. Check your positions before you try again.`
    throw new TransactionError({ code: 'transaction_pending', message, cause: error })
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

// EIP-1193, EIP-1474 and EIP-3085: the request was not carried out. -32002: another request waits for the user.
const refusals: ReadonlySet<unknown> = new Set([4100, 4200, 4902, -32600, -32601, -32602, -32002, -32003, -32004])
const refusalTexts = /insufficient funds|doesn't have enough funds|exceeds the balance of the account/i

/** Returns whether an error proves that nothing was sent, or that what was sent reverted. */
function isRefusal(error: unknown): boolean {
  if (isRejectedByUser(error) || explainRevert(error) || isRevert(error)) return true
  return [...partsOfError(error)].some(
    (part) =>
      refusals.has(part['code']) || part['name'] === 'ChainMismatchError' || refusalTexts.test(textOfPart(part)),
  )
}
