import { type DevChain, startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'

/** Step of a chain's growth: a block with a number of logs, each with a salt, or empty blocks. */
export type Step = { readonly logs: number; readonly salt: number } | { readonly empty: number }

/** Chain with a contract that emits numbered logs. */
export type TestChain = {
  readonly url: string
  readonly address: string
  /** Mines a block with a number of logs, each with a salt. */
  emit(count: number, salt: number): Promise<void>
  /** Mines the blocks of all steps with one request. */
  grow(steps: readonly Step[]): Promise<void>
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>
  /** Sends one batch. The results are in the order of the calls. */
  rpcMany(calls: readonly RpcCall[]): Promise<readonly unknown[]>
  readonly headNumber: () => Promise<number>
  /** Returns a function that restores the present chain. It can be called several times. */
  keep(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

type RpcCall = { readonly method: string; readonly params?: readonly unknown[] }

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
  const rpcMany = (calls: readonly RpcCall[]) => callMany(node.url, calls)
  const rpc = async (method: string, params: readonly unknown[] = []) => (await rpcMany([{ method, params }]))[0]
  // With automine the node mines shortly after its response.
  const [, , , receipts] = await rpcMany([
    { method: 'evm_setAutomine', params: [false] },
    sendCall({ data: bytecode }),
    { method: 'evm_mine' },
    { method: 'eth_getBlockReceipts', params: ['latest'] },
  ])
  const [{ contractAddress: address }] = receipts as [{ contractAddress: string }]
  const grow = async (steps: readonly Step[]) => {
    const emitted = { method: 'eth_getStorageAt', params: [address, '0x0', 'latest'] }
    const results = await rpcMany([emitted, ...steps.flatMap((step) => toCalls(step, address)), emitted])
    const logs = steps.reduce((sum, step) => sum + ('logs' in step ? step.logs : 0), 0)
    if (Number(results.at(-1)) - Number(results[0]) !== logs) throw new Error('A transaction failed.')
  }
  return {
    url: node.url,
    address,
    emit: (logs, salt) => grow([{ logs, salt }]),
    grow,
    rpc,
    rpcMany,
    headNumber: async () => Number(await rpc('eth_blockNumber')),
    keep: async () => {
      let id = await rpc('evm_snapshot')
      return async () => {
        // A snapshot can be restored once.
        ;[, id] = await rpcMany([{ method: 'evm_revert', params: [id] }, { method: 'evm_snapshot' }])
      }
    },
    stop: () => node.stop(),
  }
}

function toCalls(step: Step, to: string): readonly RpcCall[] {
  if ('empty' in step) return [{ method: 'hardhat_mine', params: [`0x${step.empty.toString(16)}`] }]
  return [sendCall({ to, data: `0x${toWord(step.logs)}${toWord(step.salt)}` }), { method: 'evm_mine' }]
}

function sendCall(transaction: Readonly<Record<string, string>>): RpcCall {
  return { method: 'eth_sendTransaction', params: [{ from: sender, gas: '0x2faf080', ...transaction }] }
}

function toWord(value: number): string {
  return value.toString(16).padStart(64, '0')
}

type Answer = { readonly id: number; readonly result?: unknown; readonly error?: { readonly message: string } }

async function callMany(url: string, calls: readonly RpcCall[]): Promise<readonly unknown[]> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answers = (await response.json()) as readonly Answer[]
  return answers.map(({ id, result, error }) => {
    if (error) throw new Error(`${calls[id]?.method}: ${error.message}`)
    return result
  })
}
