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
import type { ActionContext } from './action-context.ts'
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

async function waitUntilMined({ client }: ActionContext, { hash, deadline }: Wait): Promise<TransactionReceipt> {
  let reason: ReplacementReason | undefined
  const timeout = Math.max(1, Math.round(deadline - performance.now()))
  const onReplaced = (replacement: { readonly reason: ReplacementReason }) => {
    reason = replacement.reason
  }
  // A node forgets a transaction that is replaced, and viem misses a replacement that is mined while it reads.
  const sent = getTransaction(client, { hash }).catch(() => undefined)
  try {
    const receipt = await waitForTransactionReceipt(client, { hash, timeout, onReplaced })
    if (reason === undefined || reason === 'repriced') return receipt
    const message = `The transaction was ${reason} in the wallet. Check your positions before you try again.`
    throw new TransactionError({ code: 'transaction_replaced', message, hash: receipt.transactionHash })
  } catch (error) {
    if (error instanceof WaitForTransactionReceiptTimeoutError)
      throw await describeTimeout({ client }, { hash, sent: await sent })
    throw error
  }
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
    const message = `Transaction ${hash} is not mined yet. It can still be mined. Look at it before you send another one.`
    return new TransactionError({ code: 'transaction_pending', message, hash })
  }
  if (sent && count > sent.nonce) {
    const message = `Another transaction was mined instead of ${hash}. Check your positions before you try again.`
    return new TransactionError({ code: 'transaction_replaced', message, hash })
  }
  const message = `The chain no longer knows transaction ${hash}. A reorg or the node dropped it. Check your positions, then try again.`
  return new TransactionError({ code: 'transaction_dropped', message, hash, retryable: true })
}

/** Waits for the confirmations. Returns false if the receipt disappeared or moved to another block meanwhile. */
async function isConfirmed(
  { client, confirmations }: ActionContext,
  { receipt, deadline }: { readonly receipt: TransactionReceipt; readonly deadline: number },
): Promise<boolean> {
  const hash = receipt.transactionHash
  if (confirmations <= 1n) return true
  for (;;) {
    const head = await getBlockNumber(client, { cacheTime: 0 })
    // Read after the head, so that a receipt of this block was in the chain when the head was.
    const { blockHash } = await readReceipt({ client }, hash)
    if (blockHash !== receipt.blockHash) return false
    if (head - receipt.blockNumber + 1n >= confirmations) return true
    if (performance.now() > deadline) throw unconfirmed(hash)
    await new Promise((resolve) => setTimeout(resolve, client.pollingInterval))
  }
}

async function readReceipt(
  { client }: Pick<ActionContext, 'client'>,
  hash: Hash,
): Promise<{ readonly blockHash: Hash | undefined }> {
  try {
    return await getTransactionReceipt(client, { hash })
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return { blockHash: undefined }
    throw error
  }
}

function unconfirmed(hash: Hash): TransactionError {
  const message = `Transaction ${hash} is mined, but does not have the requested confirmations yet.`
  return new TransactionError({ code: 'transaction_pending', message, hash })
}
