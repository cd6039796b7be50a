import type { Address, Hex } from 'viem'
import { MalformedAnswerError } from '../errors.ts'
import { explainRevert, type RevertExplanation } from '../revert/explain-revert.ts'

/** Transaction for `walletClient.sendTransaction(call)`. */
export type Call = { readonly to: Address; readonly data: Hex; readonly value: 0n }

/** The part of an EIP-1193 provider that `simulateCall` uses. viem's clients and `window.ethereum` have it. */
export type CallProvider = {
  // `never`, because viem's wallet client has no type for `eth_call`, although it sends it.
  readonly request: (request: never) => Promise<unknown>
}

/** Options of `simulateCall`. */
export type SimulateCallOptions = {
  /** Sender of the transaction. */
  readonly from: Address
  readonly call: Call
  /** State and time of the simulation; `latest` by default. */
  readonly blockTag?: 'latest' | 'pending' | undefined
}

/**
 * Result of a simulation. `explanation` is undefined if the error is not one of the protocol's, for example if the node does
 * not respond.
 */
export type Simulation =
  | { readonly ok: true; readonly data: Hex }
  | { readonly ok: false; readonly explanation: RevertExplanation | undefined; readonly error: unknown }

/**
 * Runs a call with `eth_call` and says why it would fail, before a transaction is sent: a pause, a wallet on the denylist, a
 * changed limit, a missing approval. The provider must be connected to the chain of the call.
 *
 * @example
 * const provider = { request: async () => '0x' }
 * const { notes } = await client.notes({ maturity: 7 })
 * const call = lendCalldata({ pool, note: notes[0]!, beneficiary: wallet, principal: 1000n * 10n ** 18n })
 * const simulation = await simulateCall(provider, { from: wallet, call })
 * if (!simulation.ok) console.log(simulation.explanation?.message ?? simulation.error)
 * simulation.ok // => true
 */
export async function simulateCall(provider: CallProvider, options: SimulateCallOptions): Promise<Simulation> {
  const { from, call, blockTag = 'latest' } = options
  try {
    const transaction = { from, to: call.to, data: call.data }
    const request = { method: 'eth_call', params: [transaction, blockTag] }
    const data = await provider.request(request as never)
    if (typeof data === 'string' && /^0x[0-9a-f]*$/i.test(data)) return { ok: true, data: data as Hex }
    const message = 'The node responded to eth_call with a value that is not hex.'
    const error = new MalformedAnswerError({ code: 'malformed_answer', message, retryable: true })
    return { ok: false, explanation: undefined, error }
  } catch (error) {
    return { ok: false, explanation: explainRevert(error), error }
  }
}
