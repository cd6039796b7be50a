import type { ChainDescription } from './chain-description.ts'
import { type ContractName, type EventHandler, listEventHandlers } from './event-handlers.ts'

type ContextValue = { readonly type: 'Bytes'; readonly data: string }

/** Addresses that every handler can read with `dataSource.context()`. Unknown ones are missing. */
type ManifestContext = Readonly<
  Partial<Record<'pool' | 'positions' | 'denylister' | 'dollarDenylister' | 'signer', ContextValue>>
>

type DataSource = {
  readonly kind: 'ethereum'
  readonly name: string
  readonly network: string
  readonly context: ManifestContext
  readonly source: { readonly address: string; readonly abi: ContractName; readonly startBlock: number }
  readonly mapping: {
    readonly kind: 'ethereum/events'
    readonly apiVersion: string
    readonly language: 'wasm/assemblyscript'
    readonly file: string
    readonly entities: readonly string[]
    readonly abis: readonly { readonly name: ContractName; readonly file: string }[]
    readonly eventHandlers: readonly {
      readonly event: string
      readonly handler: string
      readonly receipt?: true
    }[]
  }
}

/** Content of a subgraph.yaml. Its paths are relative to the folder `manifests`. */
export type Manifest = {
  readonly specVersion: string
  readonly description: string
  readonly schema: { readonly file: string }
  readonly indexerHints: { readonly prune: 'never' }
  readonly dataSources: readonly DataSource[]
}

/** Handler of the logs of one contract with one first topic. */
export type Trigger = EventHandler & {
  readonly dataSource: string
  readonly contract: ContractName
  readonly address: string
  readonly startBlock: number
  readonly context: ManifestContext
}

/** Builds the manifest of a chain. */
export function buildManifest(chain: ChainDescription): Manifest {
  return {
    specVersion: '1.2.0',
    description: `Tallystick on chain ${chain.chainId}: positions, accounts, partners, floating income and the pool.`,
    schema: { file: './schema.graphql' },
    // Queries of past blocks (`block: { number }`) need the whole history.
    indexerHints: { prune: 'never' },
    dataSources: listContracts(chain).map(({ name, contract, address }) =>
      buildDataSource(chain, { name, contract, address }),
    ),
  }
}

/** Lists which handler takes which logs: by address and first topic. Each pair occurs once. */
export function listTriggers(chain: ChainDescription): readonly Trigger[] {
  const context = contextOf(chain)
  return listContracts(chain).flatMap(({ name, contract, address }) =>
    listEventHandlers(contract).map((handler) => ({
      ...handler,
      dataSource: name,
      contract,
      address,
      startBlock: chain.startBlock,
      context,
    })),
  )
}

type Contract = { readonly name: string; readonly contract: ContractName; readonly address: string }

function listContracts({ pool, positions, denylisters }: ChainDescription): readonly Contract[] {
  const contracts: Contract[] = [
    { name: 'Pool', contract: 'Pool', address: pool },
    { name: 'PositionToken', contract: 'PositionToken', address: positions },
  ]
  // Usually one contract is the denylister of both tokens. Its logs must be handled once.
  const [first, second] = [...new Set([denylisters.positions, denylisters.dollar])].filter((one) => one !== null)
  if (first !== undefined) contracts.push({ name: 'Denylister', contract: 'Denylister', address: first })
  if (second !== undefined) contracts.push({ name: 'DollarDenylister', contract: 'Denylister', address: second })
  return contracts
}

function buildDataSource(chain: ChainDescription, { name, contract, address }: Contract): DataSource {
  return {
    kind: 'ethereum',
    name,
    network: chain.network,
    context: contextOf(chain),
    source: { address, abi: contract, startBlock: chain.startBlock },
    mapping: {
      kind: 'ethereum/events',
      apiVersion: '0.0.9',
      language: 'wasm/assemblyscript',
      file: '../src/mapping.ts',
      entities: ['PositionInfo', 'Account', 'Partner', 'FloatingIncome', 'Pool', 'ProtocolDay'],
      abis: [{ name: contract, file: `./abis/${contract}.json` }],
      eventHandlers: listEventHandlers(contract).map(({ signature, handler, receipt }) => ({
        event: signature,
        handler,
        ...(receipt ? { receipt: true as const } : {}),
      })),
    },
  }
}

function contextOf({ pool, positions, denylisters, signer }: ChainDescription): ManifestContext {
  const addresses = {
    pool,
    positions,
    denylister: denylisters.positions,
    dollarDenylister: denylisters.dollar,
    signer,
  }
  return Object.fromEntries(
    Object.entries(addresses).flatMap(([name, data]) => (data === null ? [] : [[name, { type: 'Bytes', data }]])),
  )
}
