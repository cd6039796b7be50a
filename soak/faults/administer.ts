import { setTimeout } from 'node:timers/promises'
import { dollarTokenAbi, poolAbi, positionTokenAbi } from '@tallystick/contracts'
import { gasPerTransaction, minterRole, sandboxWallets } from '@tallystick/sandbox'
import { callNode, toQuantity } from '@tallystick/workbench/dev-chain/call-node'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import type { SoakChain } from '../environment/chain.ts'

const { admin } = sandboxWallets()
// Any account that is neither the signer nor a pool.
const nobody: Address = `0x${'de'.repeat(20)}`

/** Registers another signer on the pool. The returned function registers the right one again. */
export async function changeSigner(chain: SoakChain, signer: Address): Promise<() => Promise<void>> {
  const set = (next: Address) =>
    send(chain, {
      to: chain.protocol.pool,
      data: encodeFunctionData({ abi: poolAbi, functionName: 'setVerifierSigner', args: [next] }),
    })
  await set(nobody)
  return () => set(signer)
}

/** Takes the role to mint the dollar from the pool: claims fail. The returned function gives it back. */
export async function revokeMinter(chain: SoakChain): Promise<() => Promise<void>> {
  const { pool, token } = chain.protocol
  const change = (functionName: 'revokeRole' | 'grantRole') =>
    send(chain, {
      to: token,
      data: encodeFunctionData({ abi: dollarTokenAbi, functionName, args: [minterRole, pool] }),
    })
  await change('revokeRole')
  return () => change('grantRole')
}

/** Makes the position token know another pool: lends and claims fail. The returned function names the right one again. */
export async function renamePool(chain: SoakChain): Promise<() => Promise<void>> {
  const { pool, positions } = chain.protocol
  const name = (next: Address) =>
    send(chain, {
      to: positions,
      data: encodeFunctionData({ abi: positionTokenAbi, functionName: 'setReserveStabilityPool', args: [next] }),
    })
  await name(nobody)
  return () => name(pool)
}

const pollMs = 200
const triesMax = 150

/** Sends a transaction of the administrator and waits until it is in a block. */
async function send(chain: SoakChain, transaction: { readonly to: Address; readonly data: Hex }): Promise<void> {
  const call = { ...transaction, from: admin.address, gas: toQuantity(gasPerTransaction) }
  const [hash] = await callNode(chain.url, [{ method: 'eth_sendTransaction', params: [call] }])
  for (let tries = 0; tries < triesMax; tries++) {
    const [receipt] = await callNode(chain.url, [{ method: 'eth_getTransactionReceipt', params: [hash] }])
    const { status } = (receipt ?? {}) as { readonly status?: Hex }
    if (status === '0x1') return
    if (status) throw new Error(`The administrator’s transaction ${hash} on chain ${chain.id} failed.`)
    await setTimeout(pollMs)
  }
  throw new Error(`The administrator’s transaction ${hash} on chain ${chain.id} is in no block.`)
}
