import { protocolSchema } from '@tallystick/subgraph'
import { load } from 'js-yaml'
import { buildManifest } from '../scripts/build-manifest.ts'
import type { ChainDescription } from '../scripts/chain-description.ts'
import { type ContractName, listEventHandlers } from '../scripts/event-handlers.ts'
import { formatYaml } from '../scripts/format-yaml.ts'
import type { HostOptions } from './host/create-host.ts'
import { parseEntitySchema } from './host/entity-schema.ts'
import { readManifest } from './host/manifest.ts'
import type { WasmModule } from './host/web-assembly.ts'

export type LoadedSubgraph = Pick<HostOptions, 'manifest' | 'modules' | 'schema'>

/** Generates the manifest of a chain and reads its text as graph-node does. */
export function loadSubgraph(chain: ChainDescription, module: WasmModule): LoadedSubgraph {
  const manifest = readManifest(load(formatYaml(buildManifest(chain))), (file) => {
    const name = /^\.\/abis\/(\w+)\.json$/.exec(file)?.[1] as ContractName
    return listEventHandlers(name).map(({ event }) => event)
  })
  return {
    manifest,
    schema: parseEntitySchema(protocolSchema),
    modules: new Map(manifest.dataSources.map(({ file }) => [file, module])),
  }
}
