import { type AccountKind, readAccountKind } from '@tallystick/client/viem'
import { getPartnerInfoById, paraUSD } from '@tallystick/contracts/pool-functions'
import type { PortalChain } from '@tallystick/core'
import { usePolled } from '@tallystick/ui'
import { useCallback } from 'preact/hooks'
import type { Address, Hex } from 'viem'
import { getBalance, getChainId, readContract } from 'viem/actions'
import type { Connection } from '../connect/connector.ts'
import { createPatientProvider } from '../connect/provider/patient-provider.ts'
import { createReader, type WalletClient } from '../connect/wallet-client.ts'

/** The lender's account and the pool, as the wallet's network states them. */
export type Lender = {
  /** The pool's dollar. */
  readonly token: Address
  readonly kind: AccountKind
  /** Dollars. */
  readonly balance: bigint
  /** Dollars that the pool may already take. */
  readonly allowance: bigint
  /** Coins for the network's fee. */
  readonly coins: bigint
  readonly minLend: bigint
  /** Largest income, and largest fee of a partner, that one claim pays. Undefined if the dollar does not say it. */
  readonly mintMax: bigint | undefined
  readonly isPaused: boolean
  /** The partner's share of the income in basis points. Undefined if there is no such partner. */
  readonly partnerFeeBps: bigint | undefined
}

const view = { type: 'function', stateMutability: 'view' } as const
const amount = { ...view, outputs: [{ type: 'uint256' }] } as const
const address = { type: 'address' } as const
// The generated ABI is part of the first view. Only functions that are there already are imported from it.
const abi = [
  paraUSD,
  getPartnerInfoById,
  { ...view, name: 'paused', inputs: [], outputs: [{ type: 'bool' }] },
  { ...amount, name: 'minLendLimit', inputs: [] },
  { ...amount, name: 'maxMintLimit', inputs: [] },
  { ...amount, name: 'balanceOf', inputs: [address] },
  { ...amount, name: 'allowance', inputs: [address, address] },
] as const

type ReadOptions = Pick<UseLenderOptions, 'chain' | 'partnerId'> & {
  readonly connection: Connection
  readonly signal: AbortSignal
}

/** Reads what the form shows about the wallet. Returns undefined if the wallet is on another network. */
async function readLender({ connection, chain, partnerId, signal }: ReadOptions): Promise<Lender | undefined> {
  const { wallet, account } = connection
  const client = createReader(createPatientProvider(wallet.provider, { signal }), { chain, account })
  const { id, pool } = chain
  if ((await getChainId(client)) !== id) return undefined
  const token = await readContract(client, { abi, address: pool, functionName: 'paraUSD' })
  const [kind, balance, allowance, coins, minLend, mintMax, pauses, partnerFeeBps] = await Promise.all([
    readAccountKind(client, { address: account, chainId: id }),
    readContract(client, { abi, address: token, functionName: 'balanceOf', args: [account] }),
    readContract(client, { abi, address: token, functionName: 'allowance', args: [account, pool] }),
    getBalance(client, { address: account }),
    readContract(client, { abi, address: pool, functionName: 'minLendLimit' }),
    readContract(client, { abi, address: token, functionName: 'maxMintLimit' }).catch(() => undefined),
    Promise.all([pool, token].map((of) => readContract(client, { abi, address: of, functionName: 'paused' }))),
    partnerId && readFee(client, { pool, partnerId }),
  ])
  return { kind, token, balance, allowance, coins, minLend, mintMax, isPaused: pauses.includes(true), partnerFeeBps }
}

async function readFee(
  client: WalletClient,
  { pool, partnerId }: { readonly pool: Address; readonly partnerId: Hex },
): Promise<bigint | undefined> {
  const call = { abi, address: pool, functionName: 'getPartnerInfoById', args: [partnerId] } as const
  const { exists, feeBPS } = await readContract(client, call)
  return exists ? feeBPS : undefined
}

export const lenderIntervalMs = 10_000

type UseLenderOptions = {
  readonly connection: Connection | undefined
  readonly chain: PortalChain
  readonly partnerId: `0x${string}` | undefined
  readonly isOpen: boolean
}

/** Reads the connected account and the pool through the wallet, now and then, and after `refresh`. */
export function useLender({ connection, chain, partnerId, isOpen }: UseLenderOptions) {
  const { account, chainId, wallet } = connection ?? {}
  const isReadable = isOpen && connection !== undefined && chainId === chain.id
  const request = useCallback(
    (signal: AbortSignal) => readLender({ connection: connection as Connection, chain, partnerId, signal }),
    [wallet, account, chainId, chain, partnerId],
  )
  const { value: lender, error, refresh } = usePolled(isReadable ? request : undefined, lenderIntervalMs)
  return { lender, error, refresh }
}
