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
  maxUint256,
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

export type DeployOptions = {
  /** Signer whose notes the pool accepts. */
  readonly signer: Address
  /** Initial balances. */
  readonly mint?: readonly { readonly to: Address; readonly amount: bigint }[] | undefined
}

/** Role of the dollar that the pool needs to pay income. */
export const minterRole = keccak256(toHex('MINTER_ROLE'))

/** Limit of one mint after the deployment. */
export const mintLimit = 100_000n * 10n ** 18n

/**
 * Deploys denylister, token, position token and pool, and lets the pool mint both tokens. The client's account has all
 * other roles.
 */
export async function deployProtocol(client: DeployerClient, { signer, mint = [] }: DeployOptions): Promise<Protocol> {
  const admin = client.account.address
  const denylister = await deploy(client, { abi: denylisterAbi, bytecode: denylisterBytecode, args: [admin] })
  const tokenArgs = [denylister, admin]
  const token = await deploy(client, { abi: dollarTokenAbi, bytecode: dollarTokenBytecode, args: tokenArgs })
  const positions = await deploy(client, { abi: positionTokenAbi, bytecode: positionTokenBytecode, args: tokenArgs })
  const poolArgs = [token, positions, signer, admin]
  const pool = await deploy(client, { abi: poolAbi, bytecode: poolBytecode, args: poolArgs })
  const letMint = encodeFunctionData({ abi: dollarTokenAbi, functionName: 'grantRole', args: [minterRole, pool] })
  const namePool = encodeFunctionData({ abi: positionTokenAbi, functionName: 'setReserveStabilityPool', args: [pool] })
  const setMintLimit = (limit: bigint) =>
    encodeFunctionData({ abi: dollarTokenAbi, functionName: 'updateMaxMintLimit', args: [limit] })
  const mints = mint.map(({ to, amount }) =>
    encodeFunctionData({ abi: dollarTokenAbi, functionName: 'mint', args: [to, amount] }),
  )
  const minting = mints.length === 0 ? [] : [setMintLimit(maxUint256), ...mints, setMintLimit(mintLimit)]
  await confirm(client, await sendTransaction(client, { to: positions, data: namePool }))
  for (const data of [letMint, ...minting]) {
    await confirm(client, await sendTransaction(client, { to: token, data }))
  }
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
