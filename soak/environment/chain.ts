import type { Clock } from '@tallystick/base'
import { dollarTokenAbi } from '@tallystick/contracts'
import type { Signer } from '@tallystick/issuer'
import {
  createDeployer,
  deployProtocol,
  followClock,
  mineBatches,
  moveChainToClock,
  type Protocol,
  planHistory,
  sandboxWallets,
  seedHistory,
} from '@tallystick/sandbox'
import { callNode } from '@tallystick/workbench/dev-chain/call-node'
import { startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import { encodeFunctionData, maxUint256 } from 'viem'

/** A real chain with the protocol, 60 days of history, and a block every second of the soak's clock. */
export type SoakChain = {
  readonly id: number
  readonly url: string
  readonly protocol: Protocol
  /** Advances the chain to the time of the clock. */
  follow(): Promise<void>
  /** Takes a snapshot. The returned function reverts the chain to it, which is a reorg of that depth. */
  remember(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

// Enough for transfers and claims without a slow start.
export const seededPositions = 40

export async function startChain({
  id,
  clock,
  signer,
}: {
  readonly id: number
  readonly clock: Clock
  readonly signer: Signer
}): Promise<SoakChain> {
  const nowSeconds = toSecond(clock)
  const history = planHistory({ nowSeconds, positionCount: seededPositions })
  const node = await startDevChain({ chainId: id, timestamp: history.startsAt, blockGasLimit: 1_000_000_000n })
  const protocol = await deployProtocol(createDeployer(node.url, { id, name: 'soak' }), { signer: signer.address })
  const context = { chainId: id, protocol, signer, nowSeconds }
  await seedHistory(node.url, { context, history, say: () => undefined })
  const approve = { abi: dollarTokenAbi, functionName: 'approve', args: [protocol.pool, maxUint256] } as const
  const approvals = sandboxWallets().lenders.map(({ address }) => ({
    from: address,
    to: protocol.token,
    data: encodeFunctionData(approve),
  }))
  await mineBatches(node.url, [{ timestamp: toSecond(clock) + 1n, transactions: approvals }])
  await moveChainToClock(node.url, clock)
  await followClock(node.url, { clock })
  const follow = async () => {
    await followClock(node.url, { clock })
    await callNode(node.url, [{ method: 'evm_mine', params: [] }])
  }
  return {
    id,
    url: node.url,
    protocol,
    follow,
    remember: async () => {
      const [snapshot] = await callNode(node.url, [{ method: 'evm_snapshot', params: [] }])
      return async () => {
        const [isDone] = await callNode(node.url, [{ method: 'evm_revert', params: [snapshot] }])
        if (isDone !== true) throw new Error(`Chain ${id} could not revert to its snapshot.`)
        // The revert also sets back the clock of the node.
        await follow()
      }
    },
    stop: node.stop,
  }
}

function toSecond(clock: Clock): bigint {
  return BigInt(Math.floor(clock.now() / 1000))
}
