import { type OfferedNote, poolEventAbi } from '@tallystick/client'
import type { LentPosition } from '@tallystick/client/viem'
import { type Hex, parseEventLogs } from 'viem'
import { getBlock, getTransactionReceipt } from 'viem/actions'
import type { ActionOutcome, ActionTools } from '../connect/use-activity.ts'
import {
  chooseTimeout,
  reportSteps,
  runWithWallet,
  type WalletClient,
  type WalletOrder,
} from '../connect/wallet-client.ts'
import type { SentAct } from '../sent/sent-transaction.ts'

type LendOrder = WalletOrder & {
  readonly note: OfferedNote
  readonly principal: bigint
  /** Partner, and the fee that the visitor saw. */
  readonly partner: { readonly id: Hex; readonly feeBps: bigint } | undefined
}

/** Lends with the visitor's wallet. */
export async function runLend(order: LendOrder, tools: ActionTools): Promise<ActionOutcome<LentPosition>> {
  const { note, principal, partner, chain } = order
  const describe = (data: string) => describeCall(data, order)
  return runWithWallet({ ...order, describe }, tools, async ({ client, provider }) => {
    const { hash, position } = await client.lend({
      note,
      principal,
      pool: chain.pool,
      partnerId: partner?.id,
      partnerFeeBPS: partner?.feeBps,
      signal: tools.signal,
      onStep: reportSteps(tools),
      timeoutSeconds: chooseTimeout(order.connection),
    })
    return { hash, result: position, provider, readAgain: () => readAgain(client, { hash, position }) }
  })
}

// approve(address spender, uint256 amount)
const approveSelector = '0x095ea7b3'

function describeCall(data: string, { note, principal }: LendOrder): SentAct {
  if (!data.startsWith(approveSelector)) {
    return { kind: 'lend', principal: String(principal), tenorDays: note.tenorDays }
  }
  return { kind: 'approveDollars', principal: String(BigInt(`0x${data.slice(-64)}`)) }
}

/** Reads the position of a lend that was moved to another block: its number and its time may differ. */
async function readAgain(
  client: WalletClient,
  { hash, position }: { readonly hash: Hex; readonly position: LentPosition },
): Promise<LentPosition> {
  const { logs, blockHash } = await getTransactionReceipt(client, { hash })
  const [lent] = parseEventLogs({ abi: poolEventAbi, eventName: 'Lend', logs })
  const { timestamp } = await getBlock(client, { blockHash })
  return { ...position, tokenId: lent?.args.tokenId ?? position.tokenId, lendTimestamp: timestamp }
}
