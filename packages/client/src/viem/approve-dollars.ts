import { type Address, encodeFunctionData } from 'viem'
import type { Call } from '../chain/call.ts'
import { simulateCall } from '../chain/simulate-call.ts'
import { dollarAbi } from './abi.ts'
import type { ActionContext } from './action-context.ts'
import { isRevert } from './is-revert.ts'
import { sendApproval } from './send-call.ts'

/** Approves exactly the amount. Some tokens, such as USDT, allow a change only from or to 0: they get a 0 first. */
export async function approveDollars(
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
