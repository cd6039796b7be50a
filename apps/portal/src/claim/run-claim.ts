import type { ClaimedPosition } from '@tallystick/client/viem'
import type { Address } from 'viem'
import { getChainId, readContract } from 'viem/actions'
import type { Connection } from '../connect/connector.ts'
import { createPatientProvider } from '../connect/patient-provider.ts'
import type { ActionOutcome, ActionTools } from '../connect/use-activity.ts'
import { createReader, openWallet, reportSteps } from '../connect/wallet-client.ts'
import type { PortalChain } from '../data/portal-info.ts'

/** Income of a matured position, in the dollar's smallest unit. */
export type MaturedIncome = { readonly fixed: bigint; readonly floating: bigint }

export type ClaimOrder = {
  readonly connection: Connection
  readonly chain: PortalChain
  readonly tokenIds: readonly bigint[]
  /** Returns the service's time in Unix seconds. */
  readonly now: () => bigint
}

/** Claims positions with the visitor's wallet. */
export async function runClaim(
  order: ClaimOrder,
  tools: ActionTools,
): Promise<ActionOutcome<readonly ClaimedPosition[]>> {
  const { chain, tokenIds } = order
  const { client, provider } = await openWallet({ ...order, tools })
  const options = { pool: chain.pool, signal: tools.signal, onStep: reportSteps(tools) }
  const [tokenId, ...others] = tokenIds
  if (tokenId !== undefined && others.length === 0) {
    const { hash, position } = await client.claim({ ...options, tokenId })
    return { hash, result: [position], provider }
  }
  const { transactions, positions } = await client.claimAll({ ...options, tokenIds })
  return { hash: transactions.at(-1)?.hash as string, result: positions, provider }
}

const view = { type: 'function', stateMutability: 'view' } as const
const inputs = [{ type: 'uint256' }] as const
const abi = [
  { ...view, name: 'calculateFixedIncome', inputs, outputs: inputs },
  { ...view, name: 'calculateFloatingIncome', inputs, outputs: inputs },
] as const

/** Returns the income of positions as the pool computes it now. Returns undefined if the wallet is on another network. */
export async function readIncomes({
  connection: { wallet, account },
  chain,
  tokenIds,
  signal,
}: Omit<ClaimOrder, 'now'> & { readonly signal: AbortSignal }): Promise<
  ReadonlyMap<bigint, MaturedIncome> | undefined
> {
  const client = createReader(createPatientProvider(wallet.provider, { signal }), { chain, account })
  if ((await getChainId(client)) !== chain.id) return undefined
  const pool: Address = chain.pool
  const read = (functionName: (typeof abi)[number]['name'], tokenId: bigint) =>
    readContract(client, { abi, address: pool, functionName, args: [tokenId] })
  const rows = await Promise.all(
    tokenIds.map(async (tokenId) => {
      const [fixed, floating] = await Promise.all([
        read('calculateFixedIncome', tokenId),
        read('calculateFloatingIncome', tokenId),
      ])
      return [tokenId, { fixed, floating }] as const
    }),
  )
  return new Map(rows)
}
