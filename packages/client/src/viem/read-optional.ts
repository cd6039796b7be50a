import { type Address, decodeFunctionResult, encodeFunctionData } from 'viem'
import { simulateCall } from '../chain/simulate-call.ts'
import { tokenAbi } from './abi.ts'
import type { ActionContext } from './action-context.ts'
import { isRevert } from './transaction/is-revert.ts'

/** Reads a getter that a token may lack. Returns undefined if it reverts or returns something else. */
export async function readOptional(
  { client, owner }: ActionContext,
  { token, getter }: { readonly token: Address; readonly getter: (typeof tokenAbi)[number]['name'] },
): Promise<string | boolean | undefined> {
  const data = encodeFunctionData({ abi: tokenAbi, functionName: getter })
  const simulation = await simulateCall(client, { from: owner, call: { to: token, data, value: 0n } })
  if (!simulation.ok && !isRevert(simulation.error)) throw simulation.error
  try {
    return simulation.ok
      ? decodeFunctionResult({ abi: tokenAbi, functionName: getter, data: simulation.data })
      : undefined
  } catch {
    return undefined
  }
}
