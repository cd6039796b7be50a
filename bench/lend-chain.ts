import { startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import { pool } from './service.ts'

export type LendChain = {
  readonly url: string
  /** First and last block with logs. */
  readonly firstBlock: number
  readonly lastBlock: number
  /** Name and version of the engine that serves the logs. */
  readonly engine: string
  stop(): Promise<void>
}

export const chainId = 324
export const positions = '0x00000000000000000000000000000000000000b1'
const lends = 20_000
/** Each lend has a mint and a Lend log. */
export const logs = 2 * lends

const owners = 2_000
const lendsPerBlock = 2
const gasPerTransaction = 120_000
// A follower stores this many blocks one by one near the head. With empty ones, all logs are deep history.
const emptyBlocks = 256
const batchMax = 500
const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/**
 * Starts a node with 20,000 lends in 10,000 blocks. Two log emitters replace the contracts: their logs have the same form
 * and are created in seconds.
 */
export async function startLendChain(): Promise<LendChain> {
  // A block has gas for one transaction only, so that many can be sent first and mined by one call.
  const blockGasLimit = BigInt(gasPerTransaction)
  const node = await startDevChain({ chainId, blockGasLimit, timestamp: 1_700_000_000n })
  await callNode(node.url, [
    { method: 'hardhat_setCode', params: [positions, `0x${positionsCode}`] },
    { method: 'hardhat_setCode', params: [pool, `0x${poolCode}`] },
    { method: 'evm_setAutomine', params: [false] },
  ])
  const blocks = lends / lendsPerBlock
  const sends = Array.from({ length: blocks }, (_, nonce) => {
    const first = nonce * lendsPerBlock + 1
    const data = `0x${toWord(first)}${toWord(first + lendsPerBlock)}`
    const transaction = { from: sender, to: pool, gas: toQuantity(gasPerTransaction), nonce: toQuantity(nonce), data }
    return { method: 'eth_sendTransaction', params: [transaction] }
  })
  for (let start = 0; start < blocks; start += batchMax) {
    await callNode(node.url, sends.slice(start, start + batchMax))
    await callNode(node.url, [{ method: 'hardhat_mine', params: [toQuantity(batchMax)] }])
  }
  await callNode(node.url, [{ method: 'hardhat_mine', params: [toQuantity(emptyBlocks)] }])
  const [engine] = (await callNode(node.url, [{ method: 'web3_clientVersion', params: [] }])) as [string]
  return { url: node.url, firstBlock: 1, lastBlock: blocks, engine, stop: () => node.stop() }
}

/** Returns the owner of a lend: ten lends per owner, far apart. The code of the pool emitter uses the same formula. */
export function ownerOf(id: number): string {
  return `0x${(((id * 7_919) % owners) + 1).toString(16).padStart(40, '0')}`
}

// Called with an id and an owner: emit Transfer(0, owner, id).
const positionsCode = [
  '600035602035', // id, owner
  '6000', // from the zero address
  '7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  '60006000a400', // log4 without data, stop
].join('')

// for (id = calldata[0]; id < calldata[1]; id++) { positions(id, owner); emit Lend(owner, owner, id, …) }
const poolCode = [
  '36604014600857005b', // stop unless called with two words: a follower asks for the signer
  '600035', // id
  '5b806020351160165700', // 0x0c: if (calldata[1] > id) goto 0x16, else stop
  '5b80611eef026107d09006600101', // 0x16: owner = id * 7919 % 2000 + 1
  '81600052', // memory[0] = id
  '80602052', // memory[32] = owner
  `6000600060406000600073${positions.slice(2)}5af150`, // positions(memory[0..64])
  '637fffffff602052', // memory[32] = maturity
  '61016d604052', // memory[64] = coupon
  '81670de0b6b3a764000002606052', // memory[96] = principal, id dollars
  '601960a052', // memory[160] = fee; memory[128], the partner, is zero
  '80', // beneficiary, initiator
  '7f024d497bd8bbaff087542c28801e70ae55eb164aea2c8a4941f095cff5dc0e37',
  '60c06000a3', // log3(memory[0..192])
  '600101600c56', // id++, goto 0x0c
].join('')

function toWord(value: number): string {
  return value.toString(16).padStart(64, '0')
}

function toQuantity(value: number): string {
  return `0x${value.toString(16)}`
}

type NodeCall = { readonly method: string; readonly params: readonly unknown[] }

async function callNode(url: string, calls: readonly NodeCall[]): Promise<readonly unknown[]> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answers = (await response.json()) as readonly { result: unknown; error?: { readonly message: string } }[]
  return answers.map(({ result, error }) => {
    if (error) throw new Error(error.message)
    return result
  })
}
