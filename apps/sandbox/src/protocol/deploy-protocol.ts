import {
  denylisterAbi,
  denylisterBytecode,
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
  encodeFunctionData,
  getAddress,
  type Hash,
  type Hex,
  keccak256,
  type Transport,
  toHex,
} from 'viem'
import { deployContract, sendTransaction, waitForTransactionReceipt } from 'viem/actions'

export type Protocol = {
  readonly pool: Address
  readonly positions: Address
  readonly token: Address
  readonly denylister: Address
}

/** viem client whose account deploys and administers the contracts. */
export type DeployerClient = Client<Transport, Chain, Account>

/** Role of the dollar that the pool needs to pay income. */
export const minterRole = keccak256(toHex('MINTER_ROLE'))

/** Limit of one mint after the deployment. */
export const mintLimit = 100_000n * 10n ** 18n

/**
 * Deploys denylister, token, position token and pool, and lets the pool mint both tokens. The client's account has all
 * other roles. The pool accepts notes of the signer.
 */
export async function deployProtocol(
  client: DeployerClient,
  { signer }: { readonly signer: Address },
): Promise<Protocol> {
  const admin = client.account.address
  const denylister = await deploy(client, { abi: denylisterAbi, bytecode: denylisterBytecode, args: [admin] })
  const tokenArgs = [denylister, admin]
  const token = await deploy(client, { abi: dollarTokenAbi, bytecode: dollarTokenBytecode, args: tokenArgs })
  const positions = await deploy(client, { abi: positionTokenAbi, bytecode: positionTokenBytecode, args: tokenArgs })
  const poolArgs = [token, positions, signer, admin]
  const pool = await deploy(client, { abi: poolAbi, bytecode: poolBytecode, args: poolArgs })
  const letMint = encodeFunctionData({ abi: dollarTokenAbi, functionName: 'grantRole', args: [minterRole, pool] })
  const namePool = encodeFunctionData({ abi: positionTokenAbi, functionName: 'setReserveStabilityPool', args: [pool] })
  await confirm(client, await sendTransaction(client, { to: positions, data: namePool }))
  await confirm(client, await sendTransaction(client, { to: token, data: letMint }))
  return { pool, positions, token, denylister }
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
