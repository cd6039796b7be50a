import { ownersWalletAbi, ownersWalletBytecode } from '@tallystick/contracts/owners-wallet'
import { type Address, encodeDeployData, encodeFunctionData, getAddress, type Hash, type Hex } from 'viem'

export type WalletCall = { readonly to: Address; readonly value: bigint; readonly data: Hex }

/** State of a proposal, as a Safe reports it. */
export type ProposalState = {
  readonly status: 'AWAITING_CONFIRMATIONS' | 'AWAITING_EXECUTION' | 'CANCELLED' | 'SUCCESS'
  readonly confirmations: number
  readonly required: number
  /** Transaction that executed it. */
  readonly txHash: Hash | undefined
}

type Request = (method: string, params: readonly unknown[]) => Promise<unknown>

type Proposal = { readonly calls: readonly WalletCall[]; readonly nonce: bigint; isExecuting: boolean; txHash?: Hash }

export type OwnersWallet = Awaited<ReturnType<typeof deployOwnersWallet>>

/**
 * Deploys a contract wallet of which every owner must confirm, on a node that signs for its owners. Its queue is kept here, as
 * a Safe keeps its own beside the chain: a proposal can be executed while no other one of its nonce was.
 */
export async function deployOwnersWallet(request: Request, owners: readonly [Address, Address]) {
  const abi = ownersWalletAbi
  const send = async (from: Address, transaction: { readonly to?: Address; readonly data: Hex }) => {
    const hash = (await request('eth_sendTransaction', [{ from, gas: '0x4c4b40', ...transaction }])) as Hash
    await request('evm_mine', [])
    const receipt = (await request('eth_getTransactionReceipt', [hash])) as { contractAddress: Address; status: Hex }
    if (receipt.status !== '0x1') throw new Error(`The wallet reverted in ${hash}.`)
    return { hash, receipt }
  }
  const args = [owners, BigInt(owners.length)] as const
  const deployment = await send(owners[0], { data: encodeDeployData({ abi, bytecode: ownersWalletBytecode, args }) })
  const address = getAddress(deployment.receipt.contractAddress)
  const read = async (functionName: 'nonce' | 'hashOf' | 'confirmationsOf', args: readonly unknown[] = []) =>
    (await request('eth_call', [
      { to: address, data: encodeFunctionData({ abi, functionName, args } as never) },
      'latest',
    ])) as Hex
  const proposals = new Map<string, Proposal>()
  const get = (hash: string) => {
    const proposal = proposals.get(hash)
    if (!proposal) throw new Error(`There is no transaction ${hash}.`)
    return proposal
  }
  const confirm = async (hash: Hash, owner: Address) => {
    await send(owner, { to: address, data: encodeFunctionData({ abi, functionName: 'confirm', args: [hash] }) })
  }
  /** Puts calls in the queue. The first owner confirms them. Returns their hash. */
  const propose = async (calls: readonly WalletCall[]): Promise<Hash> => {
    const nonce = BigInt(await read('nonce'))
    const hash = await read('hashOf', [calls, nonce])
    proposals.set(hash, { calls, nonce, isExecuting: false })
    await confirm(hash, owners[0])
    return hash
  }
  const execute = async (hash: Hash, from: Address = owners[0]): Promise<Hash> => {
    const proposal = get(hash)
    const data = encodeFunctionData({ abi, functionName: 'execute', args: [proposal.calls] })
    proposal.isExecuting = true
    proposal.txHash = (await send(from, { to: address, data })).hash
    return proposal.txHash
  }
  return {
    address,
    propose,
    /** Calls of a proposal. */
    callsOf: (hash: string) => get(hash).calls,
    /** Lets the second owner confirm a proposal. */
    confirm: (hash: Hash) => confirm(hash, owners[1]),
    execute,
    /** Executes an empty transaction of the same nonce, as the owners of a Safe reject one. */
    cancel: async () => {
      const hash = await propose([])
      await confirm(hash, owners[1])
      await execute(hash)
    },
    stateOf: async (hash: string): Promise<ProposalState> => {
      const proposal = get(hash)
      const confirmations = Number(await read('confirmationsOf', [hash]))
      const required = owners.length
      const isPast = BigInt(await read('nonce')) > proposal.nonce && !proposal.isExecuting
      const waiting = confirmations < required ? 'AWAITING_CONFIRMATIONS' : 'AWAITING_EXECUTION'
      // Set while the chain was read, perhaps.
      const { txHash } = proposal
      return { status: txHash ? 'SUCCESS' : isPast ? 'CANCELLED' : waiting, confirmations, required, txHash }
    },
  }
}
