import { type OfferedNote, poolEventAbi } from '@tallystick/client'
import type { LentPosition } from '@tallystick/client/viem'
import { type Hex, parseEventLogs } from 'viem'
import { getBlock, getTransactionReceipt } from 'viem/actions'
import type { ActionOutcome, ActionTools } from '../connect/use-activity.ts'
import {
  chooseTimeout,
  openWallet,
  reportSteps,
  type WalletClient,
  type WalletOrder,
} from '../connect/wallet-client.ts'

type LendOrder = WalletOrder & {
  readonly note: OfferedNote
  readonly principal: bigint
  /** Partner, and the fee that the visitor saw. */
  readonly partner: { readonly id: Hex; readonly feeBps: bigint } | undefined
}

/** Lends with the visitor's wallet. */
export async function runLend(order: LendOrder, tools: ActionTools): Promise<ActionOutcome<LentPosition>> {
  const { note, principal, partner, chain } = order
  const { client, provider } = await openWallet(order, tools)
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
