import { denylisterAbi, denylisterBytecode, dollarTokenAbi, poolAbi, positionTokenAbi } from '@tallystick/contracts'
import { type NoteDomain, type NoteTerms, noteTypedData } from '@tallystick/core'
import { testAccounts } from '@tallystick/workbench/dev-chain/test-accounts'
import {
  type Abi,
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  createTestClient,
  createTransport,
  decodeEventLog,
  defineChain,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  maxUint256,
  parseSignature,
  publicActions,
  RpcRequestError,
  type TransactionReceipt,
  type Transport,
  walletActions,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { beforeEach } from 'vitest'
import { deployProtocol, mintLimit } from '../src/protocol/deploy-protocol.ts'
import { type LocalDevChain, runDevChain } from './run-dev-chain.ts'

export const chainId = 324
export const dollars = (amount: number) => BigInt(amount) * 10n ** 18n
export const noPartner: Hex = `0x${'00'.repeat(32)}`
export const noteSigner = privateKeyToAccount(`0x${'01'.repeat(32)}`)
/** 2026-03-02T14:00:00Z: a Monday morning in New York. */
export const startsAt = 1772460000n

/** Everything the contracts can say, so that an error of one seen through another keeps its name. */
const abi = [...poolAbi, ...positionTokenAbi, ...dollarTokenAbi, ...denylisterAbi] as const

export type Chain = Awaited<ReturnType<typeof startChain>>
export type Signature = { readonly v: number; readonly r: Hex; readonly s: Hex }

/** A chain of its own with the protocol deployed and a hundred million dollars in each of five wallets. */
export async function startChain(timestamp: bigint = startsAt, id: number = chainId) {
  const node = await runDevChain({ chainId: id, timestamp, blockGasLimit: 1_000_000_000n })
  const chain = defineChain({
    id,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [node.url] } },
  })
  // The node has funded these accounts and signs for them.
  const [admin, ...wallets] = testAccounts.slice(0, 6).map(([, privateKey]) => privateKeyToAccount(privateKey as Hex))
  const client = createTestClient({
    mode: 'hardhat',
    chain,
    account: (admin as PrivateKeyAccount).address,
    transport: directTo(node),
    cacheTime: 0,
    pollingInterval: 20,
  })
    .extend(publicActions)
    .extend(walletActions)
  const protocol = await deployProtocol(client, { signer: noteSigner.address })
  const calls = [
    { functionName: 'updateMaxMintLimit', args: [maxUint256] },
    ...wallets.map(({ address }) => ({ functionName: 'mint', args: [address, dollars(100_000_000)] })),
    { functionName: 'updateMaxMintLimit', args: [mintLimit] },
  ]
  for (const call of calls) await client.sendTransaction({ to: protocol.token, data: encode(call) })
  // Sent is not mined: blocks are made by `mine`, so that nothing has to be waited for.
  await client.setAutomine(false)
  return { ...protocol, id, client, admin: admin as PrivateKeyAccount, wallets, stop: node.stop }
}

/** Starts a chain. The first of its wallets has approved the pool. */
export async function startApprovedChain() {
  const chain = await startChain()
  const [ann, bob] = chain.wallets as [PrivateKeyAccount, PrivateKeyAccount]
  const approve = { to: chain.token, functionName: 'approve', args: [chain.pool, dollars(1_000_000)] }
  await send(chain, { ...approve, from: ann.address })
  return { chain, ann, bob }
}

/** Reverts a chain to the state before the first test, before each further test. Called at the top of a file. */
export function revertBeforeEach(chainOf: () => Chain): void {
  let snapshot: Hex | undefined
  beforeEach(async () => {
    const { client } = chainOf()
    if (snapshot) await client.revert({ id: snapshot })
    snapshot = await client.snapshot()
  })
}

/** As viem's `http`, without HTTP. */
function directTo({ url, request }: LocalDevChain): Transport<'direct', { readonly url: string }> {
  const call = async (body: { readonly method: string; readonly params?: unknown }) => {
    const text = await request(JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }))
    const { result, error } = JSON.parse(text as string)
    if (error) throw new RpcRequestError({ body, error, url })
    return result
  }
  return () => createTransport({ key: 'direct', name: 'direct', type: 'direct', retryCount: 0, request: call }, { url })
}

type Call = {
  readonly from: Address
  readonly to: Address
  readonly functionName: string
  readonly args?: readonly unknown[] | undefined
  /** Second of the block it is mined in. */
  readonly at?: bigint | undefined
}

/** Mines a transaction and gives its receipt, reverted or not. */
export async function mine({ client }: Chain, { from, to, at, ...call }: Call): Promise<TransactionReceipt> {
  if (at !== undefined) await client.setNextBlockTimestamp({ timestamp: at })
  // Gas is given, because an estimate would refuse what is to be seen reverting.
  const hash = await client.sendTransaction({ account: from, to, data: encode(call), gas: 5_000_000n, chain: null })
  await client.mine({ blocks: 1 })
  return client.getTransactionReceipt({ hash })
}

/** Mines a transaction that has to succeed. */
export async function send(chain: Chain, call: Call): Promise<TransactionReceipt> {
  const receipt = await mine(chain, call)
  if (receipt.status === 'success') return receipt
  throw new Error(`${call.functionName} reverted: ${JSON.stringify(await findRefusal(chain, call))}`)
}

/** The name and arguments of the error a call would end with at an instant, or undefined. */
export async function findRefusal({ client }: Chain, { from, to, at, ...call }: Call) {
  try {
    await client.simulateContract({
      account: from,
      address: to,
      abi,
      functionName: call.functionName as 'claim',
      args: (call.args ?? []) as never,
      ...(at === undefined ? {} : { blockOverrides: { time: at } }),
    })
    return undefined
  } catch (error) {
    const revert = error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError)
    if (!(revert instanceof ContractFunctionRevertedError) || !revert.data) throw error
    return [revert.data.errorName, ...(revert.data.args ?? [])]
  }
}

/** Deploys another denylister, which lists nobody. */
export async function deployDenylister({ client, admin }: Chain): Promise<Address> {
  const hash = await client.deployContract({
    ...{ abi: denylisterAbi, bytecode: denylisterBytecode, args: [admin.address] },
    ...{ account: admin.address, gas: 5_000_000n, chain: null },
  })
  await client.mine({ blocks: 1 })
  const { contractAddress } = await client.getTransactionReceipt({ hash })
  return contractAddress as Address
}

/** What a transaction's logs say, in their order: which contract, which event, with what. */
export function readEvents({ pool, positions, token }: Chain, { logs }: TransactionReceipt) {
  const contracts = [
    { name: 'pool', address: pool, abi: poolAbi },
    { name: 'positions', address: positions, abi: positionTokenAbi },
    { name: 'token', address: token, abi: dollarTokenAbi },
  ] as const
  return logs.map((log) => {
    const contract = contracts.find(({ address }) => isAddressEqual(address, log.address))
    if (!contract) throw new Error(`A log of ${log.address}, which is none of the protocol's.`)
    const { eventName, args } = decodeEventLog({ abi: contract.abi as Abi, data: log.data, topics: log.topics })
    return [contract.name, eventName, args] as const
  })
}

export function balanceOf({ client, token }: Chain, account: Address): Promise<bigint> {
  return client.readContract({ address: token, abi: dollarTokenAbi, functionName: 'balanceOf', args: [account] })
}

export function domainOf(chain: Pick<Chain, 'pool'>): NoteDomain {
  return { name: 'NoteSignatureVerifier', version: '1', verifyingContract: chain.pool }
}

/** Signs a note as the service does: by viem's account, through core's typed data. */
export async function signNote(chain: Chain, terms: NoteTerms, account = noteSigner): Promise<Signature> {
  return splitSignature(await account.signTypedData(noteTypedData(terms, domainOf(chain))))
}

export function splitSignature(signature: Hex): Signature {
  const { r, s, yParity } = parseSignature(signature)
  return { r, s, v: 27 + yParity }
}

function encode(call: { readonly functionName: string; readonly args?: readonly unknown[] | undefined }): Hex {
  return encodeFunctionData({ abi, ...call } as EncodeFunctionDataParameters)
}
