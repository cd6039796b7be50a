import { type DevChain, startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'

/** Chain with a contract that emits numbered logs. */
export type TestChain = {
  readonly url: string
  readonly address: string
  /** Mines a block with a number of logs, each with a salt. */
  emit(count: number, salt: number): Promise<void>
  mine(blocks: number): Promise<void>
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>
  readonly headNumber: () => Promise<number>
  stop(): Promise<void>
}

const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

// for n = calldata[0]; n > 0; n--: log2(topic 0xaa, counter; data counter ++ calldata[1]), counter++
const runtime =
  '6000355b801560' + '2b576000548060005260203560205280600101600055' + '60aa60406000a2' + '60019003600356' + '5b00'
const bytecode = `0x602d8060093d393df3${runtime}`

export async function startChain(options: { readonly chainId?: number } = {}): Promise<TestChain> {
  const node: DevChain = await startDevChain({
    chainId: options.chainId ?? 324,
    blockGasLimit: 1_000_000_000n,
    timestamp: 1_700_000_000n,
  })
  const rpc = (method: string, params: readonly unknown[] = []) => callRpc(node.url, { method, params })
  const send = async (transaction: Readonly<Record<string, string>>) => {
    const hash = await rpc('eth_sendTransaction', [{ from: sender, gas: '0x2faf080', ...transaction }])
    await rpc('evm_mine')
    const receipt = (await rpc('eth_getTransactionReceipt', [hash])) as { status: string; contractAddress: string }
    if (receipt.status !== '0x1') throw new Error('The transaction failed.')
    return receipt
  }
  // With automine the node mines shortly after its response.
  await rpc('evm_setAutomine', [false])
  const { contractAddress } = await send({ data: bytecode })
  return {
    url: node.url,
    address: contractAddress,
    emit: async (count, salt) => {
      await send({ to: contractAddress, data: `0x${toWord(count)}${toWord(salt)}` })
    },
    mine: async (blocks) => {
      await rpc('hardhat_mine', [`0x${blocks.toString(16)}`])
    },
    rpc,
    headNumber: async () => Number(await rpc('eth_blockNumber')),
    stop: () => node.stop(),
  }
}

function toWord(value: number): string {
  return value.toString(16).padStart(64, '0')
}

async function callRpc(url: string, call: { readonly method: string; readonly params: readonly unknown[] }) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error) throw new Error(`${call.method}: ${error.message}`)
  return result
}
