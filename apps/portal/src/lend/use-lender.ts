import type { PortalChain } from '@tallystick/core'
import { usePolled } from '@tallystick/ui'
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { Address, Hex } from 'viem'
import { getBalance, getChainId, readContract } from 'viem/actions'
import type { Account, Connection } from '../connect/connector.ts'
import { createPatientProvider } from '../connect/provider/patient-provider.ts'
import { createReader, type WalletClient } from '../connect/wallet-client.ts'

/** The lender's account and the pool, as the wallet's network states them. */
export type Lender = {
  readonly account: Account
  readonly chainId: number
  /** Dollars. */
  readonly balance: bigint
  /** Dollars that the pool may already take. */
  readonly allowance: bigint
  /** Coins for the network's fee. */
  readonly coins: bigint
  readonly minLend: bigint
  readonly isPaused: boolean
  /** The partner's share of the income in basis points. Undefined if there is no such partner. */
  readonly partnerFeeBps: bigint | undefined
}

const view = { type: 'function', stateMutability: 'view' } as const
const uint256 = { type: 'uint256' } as const
const address = { type: 'address' } as const
const partner = {
  type: 'tuple',
  components: [
    { name: 'exists', type: 'bool' },
    { name: 'owner', type: 'address' },
    { name: 'vault', type: 'address' },
    { name: 'feeBPS', type: 'uint256' },
  ],
} as const
const abi = [
  { ...view, name: 'paraUSD', inputs: [], outputs: [address] },
  { ...view, name: 'minLendLimit', inputs: [], outputs: [uint256] },
  { ...view, name: 'paused', inputs: [], outputs: [{ type: 'bool' }] },
  { ...view, name: 'getPartnerInfoById', inputs: [{ type: 'bytes32' }], outputs: [partner] },
  { ...view, name: 'balanceOf', inputs: [address], outputs: [uint256] },
  { ...view, name: 'allowance', inputs: [address, address], outputs: [uint256] },
] as const

/** Reads what the form shows about the wallet. Returns undefined if the wallet is on another network. */
async function readLender({
  connection: { wallet, account },
  chain,
  partnerId,
  signal,
}: {
  readonly connection: Connection
  readonly chain: PortalChain
  readonly partnerId: Hex | undefined
  readonly signal: AbortSignal
}): Promise<Lender | undefined> {
  const client = createReader(createPatientProvider(wallet.provider, { signal }), { chain, account })
  const { id: chainId, pool } = chain
  if ((await getChainId(client)) !== chainId) return undefined
  const token = await readContract(client, { abi, address: pool, functionName: 'paraUSD' })
  const [balance, allowance, coins, minLend, pauses, partnerFeeBps] = await Promise.all([
    readContract(client, { abi, address: token, functionName: 'balanceOf', args: [account] }),
    readContract(client, { abi, address: token, functionName: 'allowance', args: [account, pool] }),
    getBalance(client, { address: account }),
    readContract(client, { abi, address: pool, functionName: 'minLendLimit' }),
    Promise.all([pool, token].map((of) => readContract(client, { abi, address: of, functionName: 'paused' }))),
    partnerId && readFee(client, { pool, partnerId }),
  ])
  return { account, chainId, balance, allowance, coins, minLend, isPaused: pauses.includes(true), partnerFeeBps }
}

async function readFee(
  client: WalletClient,
  { pool, partnerId }: { readonly pool: Address; readonly partnerId: Hex },
): Promise<bigint | undefined> {
  const args = [partnerId] as const
  const { exists, feeBPS } = await readContract(client, {
    abi,
    address: pool,
    functionName: 'getPartnerInfoById',
    args,
  })
  return exists ? feeBPS : undefined
}

const intervalMs = 10_000

type UseLenderOptions = {
  readonly connection: Connection | undefined
  readonly chain: PortalChain
  readonly partnerId: `0x${string}` | undefined
  readonly isOpen: boolean
}

/** Reads the connected account and the pool through the wallet, now and then, and after `refresh`. */
export function useLender({ connection, chain, partnerId, isOpen }: UseLenderOptions) {
  const [turn, setTurn] = useState(0)
  const { account, chainId, wallet } = connection ?? {}
  const isReadable = isOpen && connection !== undefined && chainId === chain.id
  const request = useCallback(
    (signal: AbortSignal) => readLender({ connection: connection as Connection, chain, partnerId, signal }),
    [wallet, account, chainId, chain, partnerId, turn],
  )
  const { value, error } = usePolled<Lender | undefined>(isReadable ? request : undefined, intervalMs)
  // The last values of this account stay while it is read again.
  const [last, setLast] = useState<Lender | undefined>(undefined)
  useEffect(() => {
    if (value) setLast(value)
  }, [value])
  const isLast = isReadable && last?.account === account && last?.chainId === chain.id
  const lender = isReadable ? (value ?? (isLast ? last : undefined)) : undefined
  return { lender, error: isReadable ? error : undefined, refresh: () => setTurn((count) => count + 1) }
}
