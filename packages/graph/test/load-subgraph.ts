import { protocolSchema } from '@tallystick/subgraph'
import { load } from 'js-yaml'
import { buildManifest } from '../scripts/build-manifest.ts'
import type { ChainDescription } from '../scripts/chain-description.ts'
import { type ContractName, listEventHandlers } from '../scripts/event-handlers.ts'
import { formatYaml } from '../scripts/format-yaml.ts'
import { readMappingModule } from '../scripts/mapping-module.ts'
import type { HostOptions } from './host/create-host.ts'
import { parseEntitySchema } from './host/entity-schema.ts'
import { type Manifest, readManifest } from './host/manifest.ts'
import { type WasmModule, webAssembly } from './host/web-assembly.ts'

type LoadedSubgraph = Pick<HostOptions, 'manifest' | 'modules' | 'schema'>

/** A chain, and the subgraph that was generated and compiled for it. */
export type Deployment = { readonly chain: ChainDescription; readonly subgraph: LoadedSubgraph }

/** Creates the function that generates the subgraph of a chain, all with one compiled mapping. */
export function createDeployer(): (chain: ChainDescription) => Deployment {
  const module = new webAssembly.Module(readMappingModule())
  return (chain) => ({ chain, subgraph: loadSubgraph(chain, module) })
}

function loadSubgraph(chain: ChainDescription, module: WasmModule): LoadedSubgraph {
  const manifest = loadManifest(chain)
  return {
    manifest,
    schema: parseEntitySchema(protocolSchema),
    modules: new Map(manifest.dataSources.map(({ file }) => [file, module])),
  }
}

/** Generates the manifest of a chain and reads its text as graph-node does. */
export function loadManifest(chain: ChainDescription): Manifest {
  return readManifest(load(formatYaml(buildManifest(chain))), (file) => {
    const name = /^\.\/abis\/(\w+)\.json$/.exec(file)?.[1] as ContractName
    return listEventHandlers(name).map(({ event }) => event)
  })
}
