import {
  dollarTokenAbi,
  dollarTokenBytecode,
  poolAbi,
  poolBytecode,
  positionTokenAbi,
  positionTokenBytecode,
} from '@tallystick/contracts'
import {
  type Abi,
  type Account,
  type Address,
  type Chain,
  type Client,
  getAddress,
  type Hash,
  type Hex,
  keccak256,
  type Transport,
  toHex,
} from 'viem'
import { deployContract, waitForTransactionReceipt, writeContract } from 'viem/actions'

export type Protocol = { readonly pool: Address; readonly positions: Address; readonly token: Address }

/** viem client whose account deploys and administers the contracts. */
export type DeployerClient = Client<Transport, Chain, Account>

export type DeployOptions = {
  /** Signer whose notes the pool accepts. */
  readonly signer: Address
  /** Initial balances. */
  readonly mint?: readonly { readonly to: Address; readonly amount: bigint }[] | undefined
}

/** Deploys token, position token and pool, and lets the pool mint both tokens. The client's account has all other roles. */
export async function deployProtocol(client: DeployerClient, { signer, mint = [] }: DeployOptions): Promise<Protocol> {
  const admin = client.account.address
  const token = await deploy(client, { abi: dollarTokenAbi, bytecode: dollarTokenBytecode, args: [admin] })
  const positions = await deploy(client, { abi: positionTokenAbi, bytecode: positionTokenBytecode, args: [admin] })
  const poolArgs = [token, positions, signer, admin]
  const pool = await deploy(client, { abi: poolAbi, bytecode: poolBytecode, args: poolArgs })
  const grant = { abi: dollarTokenAbi, functionName: 'grantRole' } as const
  await confirm(
    client,
    await writeContract(client, { ...grant, address: token, args: [roleHash('MINTER_ROLE'), pool] }),
  )
  await confirm(
    client,
    await writeContract(client, { ...grant, address: positions, args: [roleHash('POOL_ROLE'), pool] }),
  )
  for (const { to, amount } of mint) {
    const call = { abi: dollarTokenAbi, address: token, functionName: 'mint', args: [to, amount] } as const
    await confirm(client, await writeContract(client, call))
  }
  return { pool, positions, token }
}

async function deploy(
  client: DeployerClient,
  contract: { readonly abi: Abi; readonly bytecode: Hex; readonly args: readonly unknown[] },
): Promise<Address> {
  const { contractAddress } = await confirm(client, await deployContract(client, contract))
  if (!contractAddress) throw new Error('The receipt of a deployment has no contract address.')
  return getAddress(contractAddress)
}

async function confirm(client: DeployerClient, hash: Hash) {
  // The local chain mines at once. viem's default interval of 4 s would only add delay.
  const receipt = await waitForTransactionReceipt(client, { hash, pollingInterval: 50 })
  if (receipt.status !== 'success') throw new Error(`Transaction ${hash} reverted.`)
  return receipt
}

function roleHash(name: string): Hex {
  return keccak256(toHex(name))
}
