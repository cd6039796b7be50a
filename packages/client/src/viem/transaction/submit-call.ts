import { type Hash, type Hex, keccak256, type LocalAccount } from 'viem'
import { sendTransaction } from 'viem/actions'
import type { Call } from '../../chain/simulate-call.ts'
import { explainRevert } from '../../revert/explain-revert.ts'
import type { ActionContext } from '../action-context.ts'
import { partsOfError, textOfPart } from './error-parts.ts'
import { isRevert } from './is-revert.ts'
import { describeError, isRejectedByUser, TransactionError } from './transaction-error.ts'

/**
 * Sends a transaction and returns its hash. An error of the request does not prove that nothing was sent: the answer may
 * have been lost. Unless the error is a refusal, the transaction is regarded as sent. A local account's hash is known
 * before, so that its receipt is awaited. Otherwise the error is `transaction_pending` without a hash.
 */
export async function submitCall({ client, account }: ActionContext, call: Call): Promise<Hash> {
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
