import type { ClaimAllResult, ClaimedPosition } from '@tallystick/client/viem'
import { batchClaim, claim, lastFloatingIncomeUpdateDay, permitClaim } from '@tallystick/contracts/pool-functions'
import { type Address, decodeFunctionData, type Hex } from 'viem'
import { getChainId, readContract } from 'viem/actions'
import type { Activity } from '../connect/activity.ts'
import { createPatientProvider } from '../connect/provider/patient-provider.ts'
import type { ActionOutcome, ActionTools } from '../connect/use-activity.ts'
import { chooseTimeout, createReader, reportSteps, runWithWallet, type WalletOrder } from '../connect/wallet-client.ts'
import type { SentAct } from '../sent/sent-transaction.ts'

/** Positions that were claimed, and those that were left out. */
export type ClaimReport = Pick<ClaimAllResult, 'positions' | 'skipped'>

type ClaimOrder = WalletOrder & {
  readonly tokenIds: readonly bigint[]
  /** Whether the visitor has decided to lose the income that is not reported yet. */
  readonly acceptMissingIncome: boolean
}

/** Claims positions with the visitor's wallet. */
export async function runClaim(order: ClaimOrder, tools: ActionTools): Promise<ActionOutcome<ClaimReport>> {
  const { chain, tokenIds, acceptMissingIncome } = order
  const describe = (data: string) => describeCall(data as Hex, tokenIds)
  return runWithWallet({ ...order, describe }, tools, async ({ client, provider }) => {
    const timeoutSeconds = chooseTimeout(order.connection)
    const options = {
      ...{ pool: chain.pool, signal: tools.signal, onStep: reportSteps(tools), acceptMissingIncome, timeoutSeconds },
    }
    const [tokenId, ...others] = tokenIds
    if (tokenId !== undefined && others.length === 0) {
      const { hash, position } = await client.claim({ ...options, tokenId })
      return { hash, result: { positions: [position], skipped: [] }, provider }
    }
    const { transactions, ...result } = await client.claimAll({ ...options, tokenIds })
    return { hash: transactions.at(-1)?.hash as string, result, provider }
  })
}

// approve(address, uint256) and setApprovalForAll(address, bool)
const approvalSelectors = ['0x095ea7b3', '0xa22cb465']
// More are not kept. A transaction claims 20 at most.
const tokenIdsMax = 100

function describeCall(data: Hex, tokenIds: readonly bigint[]): SentAct {
  if (approvalSelectors.includes(data.slice(0, 10))) {
    return { kind: 'approvePositions', tokenIds: tokenIds.slice(0, tokenIdsMax).map(String) }
  }
  const { functionName, args } = decodeFunctionData({ abi: [batchClaim, claim, permitClaim], data })
  return { kind: 'claim', tokenIds: (functionName === 'batchClaim' ? args[1] : [args[1]]).map(String) }
}

/** Returns the positions that a claim paid, also one that failed or was stopped after its first transactions. */
export function listClaimed(activity: Activity<ClaimReport>): readonly ClaimedPosition[] {
  if (activity.phase === 'mined') return activity.result.positions
  if (activity.phase !== 'failed' && activity.phase !== 'stopped') return []
  const { claimed } = (activity.error ?? {}) as {
    readonly claimed?: { readonly positions: readonly ClaimedPosition[] }
  }
  return claimed?.positions ?? []
}

const uint256 = [{ type: 'uint256' }] as const
const calculate = { type: 'function', stateMutability: 'view', inputs: uint256, outputs: uint256 } as const
const abi = [
  { ...calculate, name: 'calculateFixedIncome' },
  { ...calculate, name: 'calculateFloatingIncome' },
  lastFloatingIncomeUpdateDay,
] as const

type ReadOptions = Pick<ClaimOrder, 'connection' | 'chain' | 'tokenIds'> & { readonly signal: AbortSignal }

/**
 * Returns the income of positions as the pool computes it now, and the last UTC day whose floating income it has. Returns
 * undefined if the wallet is on another network.
 */
export async function readIncomes({ connection, chain, tokenIds, signal }: ReadOptions) {
  const { wallet, account } = connection
  const client = createReader(createPatientProvider(wallet.provider, { signal }), { chain, account })
  if ((await getChainId(client)) !== chain.id) return undefined
  const pool: Address = chain.pool
  const read = (functionName: 'calculateFixedIncome' | 'calculateFloatingIncome', tokenId: bigint) =>
    readContract(client, { abi, address: pool, functionName, args: [tokenId] })
  // Before the incomes: they may then contain a later day, but no day is missing in them that counts as reported.
  const lastReportedDay = await readContract(client, {
    abi,
    address: pool,
    functionName: 'lastFloatingIncomeUpdateDay',
  })
  const rows = await Promise.all(
    tokenIds.map(async (tokenId) => {
      const [fixed, floating] = await Promise.all([
        read('calculateFixedIncome', tokenId),
        read('calculateFloatingIncome', tokenId),
      ])
      return [tokenId, { fixed, floating }] as const
    }),
  )
  return { incomes: new Map(rows), lastReportedDay }
}
