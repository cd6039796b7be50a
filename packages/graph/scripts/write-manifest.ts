import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { protocolSchema } from '@tallystick/subgraph'
import { buildManifest } from './build-manifest.ts'
import type { ChainDescription } from './chain-description.ts'
import { type ContractName, listEventHandlers } from './event-handlers.ts'
import { formatYaml } from './format-yaml.ts'
import { manifestFolder } from './manifest-folder.ts'

const contracts: readonly ContractName[] = ['Pool', 'PositionToken', 'Denylister']

/** Writes the manifest of a chain, with the schema and the ABIs that it names. Returns its path. */
export function writeManifest(chain: ChainDescription): string {
  mkdirSync(join(manifestFolder, 'abis'), { recursive: true })
  writeFileSync(join(manifestFolder, 'schema.graphql'), protocolSchema)
  for (const contract of contracts) {
    const events = listEventHandlers(contract).map(({ event }) => event)
    writeFileSync(join(manifestFolder, 'abis', `${contract}.json`), `${JSON.stringify(events, undefined, 2)}\n`)
  }
  const path = join(manifestFolder, `${chain.chainId}.yaml`)
  writeFileSync(path, formatYaml(buildManifest(chain)))
  return path
}
