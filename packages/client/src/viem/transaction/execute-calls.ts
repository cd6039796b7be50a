import { type Hash, numberToHex } from 'viem'
import type { Call } from '../../chain/simulate-call.ts'
import type { ActionContext } from '../action-context.ts'
import { isRefusal, lostAnswer } from './submission.ts'
import { noteExpired, TransactionError } from './transaction-error.ts'
import { pauseBefore } from './wait-for-receipt.ts'

type Batch = {
  readonly calls: readonly Call[]
  /** Unix time in seconds from which the contracts reject the batch. */
  readonly validBefore: bigint | undefined
}

// A wallet learns of its transaction from an indexer, which may lag.
const graceSeconds = 120n
// An indexer may know that the nonce is used before it knows by which transaction.
const cancelledReadsMin = 3

/**
 * Sends calls as one transaction of the wallet (EIP-5792), and waits until it is executed. Returns its hash. The wallet of
 * several owners executes it once enough of them have signed, which can take longer than the calls are good for.
 */
export async function executeCalls(context: ActionContext, { calls, validBefore }: Batch): Promise<Hash> {
  const callsId = await submitCalls(context, calls)
  context.step('wait', undefined, callsId)
  const deadline = performance.now() + context.timeoutMs
  let cancelledReads = 0
  for (;;) {
    const outcome = readOutcome(await readStatus(context, callsId))
    if (outcome.kind === 'executed') return outcome.hash
    cancelledReads = outcome.kind === 'cancelled' ? cancelledReads + 1 : 0
    if (cancelledReads >= cancelledReadsMin) throw cancelled()
    if (outcome.kind === 'reverted') throw reverted(outcome.hash)
    if (validBefore !== undefined && (await hasPassed(context, validBefore + graceSeconds))) throw noteExpired()
    if (performance.now() >= deadline) throw unconfirmed(callsId)
    await pauseBefore(context, deadline)
  }
}

async function submitCalls({ client, owner, chainId }: ActionContext, calls: readonly Call[]): Promise<string> {
  const batch = {
    version: '2.0.0',
    from: owner,
    chainId: numberToHex(chainId),
    atomicRequired: true,
    calls: calls.map(({ to, data, value }) => ({ to, data, value: numberToHex(value) })),
  }
  try {
    const request = { method: 'wallet_sendCalls', params: [batch] } as never
    const answer: unknown = await client.request(request, { retryCount: 0 })
    // Drafts of EIP-5792 returned the id alone.
    const id = typeof answer === 'string' ? answer : (answer as { readonly id?: unknown } | null)?.id
    if (typeof id === 'string') return id
    throw new Error('It returned no id.')
  } catch (error) {
    throw isRefusal(error) ? error : lostAnswer(error)
  }
}

/** Reads the status of a batch. A failed request says nothing about it. */
async function readStatus({ client }: ActionContext, callsId: string): Promise<unknown> {
  const request = { method: 'wallet_getCallsStatus', params: [callsId] } as never
  return client.request(request, { retryCount: 0 }).catch(() => undefined)
}

type Outcome =
  | { readonly kind: 'pending' | 'cancelled' }
  | { readonly kind: 'executed'; readonly hash: Hash }
  | { readonly kind: 'reverted'; readonly hash: Hash | undefined }

/** Reads a response of `wallet_getCallsStatus`. 1xx is pending, 2xx executed, 4xx not sent, and 5xx and 6xx reverted. */
function readOutcome(answer: unknown): Outcome {
  const { status, receipts } = (answer ?? {}) as { readonly status?: unknown; readonly receipts?: unknown }
  if (typeof status !== 'number') return { kind: 'pending' }
  const last = Array.isArray(receipts) ? (receipts.at(-1) as { readonly transactionHash?: unknown } | null) : undefined
  const hash = readHash(last?.transactionHash)
  if (status >= 500) return { kind: 'reverted', hash }
  if (status >= 400) return { kind: 'cancelled' }
  return status >= 200 && hash ? { kind: 'executed', hash } : { kind: 'pending' }
}

function readHash(value: unknown): Hash | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value) ? (value as Hash) : undefined
}

async function hasPassed({ chainTime }: ActionContext, instant: bigint): Promise<boolean> {
  return chainTime().then(
    (time) => time >= instant,
    () => false,
  )
}

function cancelled(): TransactionError {
  const message = 'The wallet did not execute the transaction: it was rejected or cancelled there. Nothing was sent.'
  return new TransactionError({ code: 'transaction_replaced', message })
}

function reverted(hash: Hash | undefined): TransactionError {
  const message = 'The wallet executed the transaction, but it reverted. Nothing was lent or claimed.'
  return new TransactionError({ code: 'call_reverted', message, hash })
}

function unconfirmed(callsId: string): TransactionError {
  const message = `The wallet has not executed transaction ${callsId} yet, for example because an owner has not signed. It may be executed later. Check your positions before you try again.`
  return new TransactionError({ code: 'transaction_pending', message, callsId })
}
