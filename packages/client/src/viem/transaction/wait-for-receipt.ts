import {
  type Address,
  type Hash,
  type ReplacementReason,
  TransactionNotFoundError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  WaitForTransactionReceiptTimeoutError,
} from 'viem'
import {
  getBlockNumber,
  getTransaction,
  getTransactionCount,
  getTransactionReceipt,
  waitForTransactionReceipt,
} from 'viem/actions'
import type { ActionContext } from '../action-context.ts'
import { TransactionError } from './transaction-error.ts'

/**
 * Waits until a transaction is mined and confirmed. If a reorg removes it, the wait starts again: most nodes mine it again.
 * Throws if it was replaced, dropped, or not mined in time.
 */
export async function waitForReceipt(context: ActionContext, hash: Hash): Promise<TransactionReceipt> {
  const deadline = performance.now() + context.timeoutMs
  for (;;) {
    const receipt = await waitUntilMined(context, { hash, deadline })
    if (await isConfirmed(context, { receipt, deadline })) return receipt
  }
}

/** Sender and nonce, read while the node knew the transaction. */
type Sent = { readonly from: Address; readonly nonce: number }

type Wait = { readonly hash: Hash; readonly deadline: number }

/** Waits through errors of the node: a failed request says nothing about the transaction. */
async function waitUntilMined(context: ActionContext, { hash, deadline }: Wait): Promise<TransactionReceipt> {
  const { client } = context
  let sent: Promise<Sent | undefined> = Promise.resolve(undefined)
  for (;;) {
    const known = sent
    // A node forgets a transaction that is replaced, and viem misses a replacement that is mined while it reads.
    sent = getTransaction(client, { hash }).catch(() => known)
    try {
      return await findReceipt(context, { hash, deadline })
    } catch (error) {
      if (error instanceof TransactionError) throw error
      const isLate = error instanceof WaitForTransactionReceiptTimeoutError || performance.now() >= deadline
      if (isLate) throw await describeTimeout(context, { hash, sent: await sent })
    }
    await pauseBefore(context, deadline)
  }
}

async function findReceipt({ client }: ActionContext, { hash, deadline }: Wait): Promise<TransactionReceipt> {
  let reason: ReplacementReason | undefined
  const timeout = Math.max(1, Math.round(deadline - performance.now()))
  const onReplaced = (replacement: { readonly reason: ReplacementReason }) => {
    reason = replacement.reason
  }
  const receipt = await waitForTransactionReceipt(client, { hash, timeout, onReplaced })
  if (reason === undefined || reason === 'repriced') return receipt
  const message = `The transaction was ${reason} in the wallet. Check your positions before you try again.`
  throw new TransactionError({ code: 'transaction_replaced', message, hash: receipt.transactionHash })
}

async function describeTimeout(
  { client }: Pick<ActionContext, 'client'>,
  { hash, sent }: { readonly hash: Hash; readonly sent: Sent | undefined },
): Promise<TransactionError> {
  const isKnown = await getTransaction(client, { hash }).then(
    () => true,
    (error: unknown) => !(error instanceof TransactionNotFoundError),
  )
  const count = sent ? await getTransactionCount(client, { address: sent.from }).catch(() => undefined) : 0
  if (isKnown || count === undefined) {
    const message = `Transaction ${hash} was sent, but no receipt of it was read in time. It may be mined already or later. Check your positions before you try again.`
    return new TransactionError({ code: 'transaction_pending', message, hash })
  }
  if (sent && count > sent.nonce) {
    const message = `Another transaction was mined instead of ${hash}. Check your positions before you try again.`
    return new TransactionError({ code: 'transaction_replaced', message, hash })
  }
  const message = `The chain does not know transaction ${hash}. A reorg or the node dropped it. Check your positions, then try again.`
  return new TransactionError({ code: 'transaction_dropped', message, hash })
}

/** Waits for the confirmations. Returns false if the receipt disappeared or moved to another block meanwhile. */
async function isConfirmed(
  context: ActionContext,
  { receipt, deadline }: { readonly receipt: TransactionReceipt; readonly deadline: number },
): Promise<boolean> {
  const { confirmations } = context
  if (confirmations <= 1n) return true
  for (;;) {
    const depth = await readDepth(context, receipt).catch(() => 0n)
    if (depth === undefined) return false
    if (depth >= confirmations) return true
    if (performance.now() > deadline) throw unconfirmed(receipt.transactionHash)
    await pauseBefore(context, deadline)
  }
}

/** Returns the number of blocks from that of a receipt to the newest, or undefined if the receipt is no longer there. */
async function readDepth(
  { client }: ActionContext,
  { transactionHash, blockHash, blockNumber }: TransactionReceipt,
): Promise<bigint | undefined> {
  const head = await getBlockNumber(client, { cacheTime: 0 })
  // Read after the head, so that a receipt of this block was in the chain when the head was.
  const receipt = await getTransactionReceipt(client, { hash: transactionHash }).catch((error: unknown) => {
    if (error instanceof TransactionReceiptNotFoundError) return undefined
    throw error
  })
  return receipt?.blockHash === blockHash ? head - blockNumber + 1n : undefined
}

function unconfirmed(hash: Hash): TransactionError {
  const message = `Transaction ${hash} is mined, but does not have the requested confirmations yet.`
  return new TransactionError({ code: 'transaction_pending', message, hash })
}

/** Repeats a failed read until `timeoutSeconds` have passed. Throws the last error. */
export async function readPatiently<Result>(context: ActionContext, read: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + context.timeoutMs
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (performance.now() >= deadline) throw error
    }
    await pauseBefore(context, deadline)
  }
}

/** Waits for the client's polling interval, but not beyond the deadline. */
export async function pauseBefore({ client }: ActionContext, deadline: number): Promise<void> {
  const pauseMs = Math.max(0, Math.min(client.pollingInterval, deadline - performance.now()))
  await new Promise((resolve) => setTimeout(resolve, pauseMs))
}
