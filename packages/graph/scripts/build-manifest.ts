import type { ChainDescription } from './chain-description.ts'
import { type ContractName, listEventHandlers } from './event-handlers.ts'

/** Builds the content of the subgraph.yaml of a chain. Its paths are relative to the folder `manifests`. */
export function buildManifest(chain: ChainDescription) {
  return {
    specVersion: '1.2.0',
    description: `Tallystick on chain ${chain.chainId}: positions, accounts, partners, floating income and the pool.`,
    schema: { file: './schema.graphql' },
    // Queries of past blocks (`block: { number }`) need the whole history.
    indexerHints: { prune: 'never' },
    dataSources: listContracts(chain).map((contract) => buildDataSource(chain, contract)),
  }
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

function buildDataSource(chain: ChainDescription, { name, contract, address }: Contract) {
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
        ...(receipt && { receipt }),
      })),
    },
  }
}

/** Returns the addresses that every handler can read with `dataSource.context()`. Unknown ones are missing. */
function contextOf({ pool, positions, denylisters, signer }: ChainDescription) {
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
