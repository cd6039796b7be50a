import { createRequire } from 'node:module'
import type * as Edr from '@nomicfoundation/edr'
import { RpcFailure } from './rpc-failure.ts'
import { testAccounts } from './test-accounts.ts'

/** Parameters of the genesis block. They determine all block hashes. */
export type Genesis = {
  readonly chainId: number
  /** Unix seconds of block 0. */
  readonly timestamp: number
  readonly blockGasLimit: bigint
}

/** EVM that mines only on request, at the requested time. */
export type Engine = {
  /** Returns the response as text, `{"result":…}` or `{"error":…}`. */
  send(method: string, params: readonly unknown[]): Promise<string>
  /** Returns the result. Throws `RpcFailure`. */
  request(method: string, params: readonly unknown[]): Promise<unknown>
}

// Node cannot detect the named exports of this CommonJS package.
const edr = createRequire(import.meta.url)('@nomicfoundation/edr') as typeof Edr
const hardfork = 'Osaka'
const initialBaseFeeWei = 1_000_000_000n
const balanceWei = 10_000n * 10n ** 18n

/** Creates a chain in memory that consists of its genesis block. */
export async function createEngine(genesis: Genesis): Promise<Engine> {
  contextOfProcess ??= createContext()
  const context = await contextOfProcess
  const provider = await context.createProvider(
    edr.L1_CHAIN_TYPE,
    describeProvider(genesis),
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => undefined },
    { subscriptionCallback: () => undefined },
    new edr.ContractDecoder(),
  )
  const send = async (method: string, params: readonly unknown[]) => {
    const { data } = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    // EDR returns an object if the text is too long for a string.
    return typeof data === 'string' ? data : JSON.stringify(data)
  }
  return { send, request: async (method, params) => readResult(await send(method, params)) }
}

// EDR allows one context per process.
let contextOfProcess: Promise<Edr.EdrContext> | undefined

async function createContext(): Promise<Edr.EdrContext> {
  const context = new edr.EdrContext()
  await context.registerProviderFactory(edr.L1_CHAIN_TYPE, edr.l1ProviderFactory())
  return context
}

type Answer = { readonly result?: unknown; readonly error?: { code: number; message: string; data?: unknown } }

/** Parses a response. Throws `RpcFailure` for an error. */
function readResult(text: string): unknown {
  const { result, error } = JSON.parse(text) as Answer
  if (error) throw new RpcFailure(error)
  return result
}

function describeProvider(genesis: Genesis): Edr.ProviderConfig {
  const { chainId, timestamp, blockGasLimit } = genesis
  return {
    // Automine can produce several blocks in one second.
    allowBlocksWithSameTimestamp: true,
    allowUnlimitedContractSize: false,
    bailOnCallFailure: true,
    bailOnTransactionFailure: false,
    chainId: BigInt(chainId),
    networkId: BigInt(chainId),
    coinbase: new Uint8Array(20),
    defaultTransactionGasLimit: blockGasLimit < 16_000_000n ? blockGasLimit : 16_000_000n,
    genesisState: [...edr.l1GenesisState(edr.l1HardforkFromString(hardfork)), ...fundAccounts()],
    hardfork,
    initialBaseFeePerGas: initialBaseFeeWei,
    initialParentBeaconBlockRoot: new Uint8Array(32),
    minGasPrice: 0n,
    // Positions are numbered in the order of their transactions.
    mining: { autoMine: false, blockGasLimit, memPool: { order: 'Fifo' as Edr.MineOrdering } },
    network: { genesisBlockGasLimit: blockGasLimit, genesisBlockTime: BigInt(timestamp) },
    observability: {},
    ownedAccounts: testAccounts.map(([, privateKey]) => privateKey),
    precompileOverrides: [],
    // Tests fill whole blocks with one transaction, which EIP-7825 forbids.
    transactionGasCap: false,
  }
}

function fundAccounts(): Edr.AccountOverride[] {
  return testAccounts.map(([address]) => ({ address: Buffer.from(address.slice(2), 'hex'), balance: balanceWei }))
}
