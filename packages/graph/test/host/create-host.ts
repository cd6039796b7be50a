import type { BlockLogs, EntityChange, Log } from '@tallystick/subgraph'
import { decodeLog } from './decode-log.ts'
import type { EntitySchema } from './entity-schema.ts'
import { createEntityStore, type StoreChange } from './entity-store.ts'
import { type Trigger, writeEvent } from './event-object.ts'
import { createHeap, type Heap, type ModuleExports } from './heap.ts'
import { createImports } from './imports.ts'
import type { DataSource, EventHandler, Manifest } from './manifest.ts'
import type { EthCall, HasCode, Scope } from './scope.ts'
import type { StoreValue } from './store-value.ts'
import { type WasmModule, webAssembly } from './web-assembly.ts'

export type HostOptions = {
  readonly manifest: Manifest
  /** Module of each mapping file of the manifest. */
  readonly modules: ReadonlyMap<string, WasmModule>
  readonly schema: EntitySchema
  /**
   * How long an instance of a module lives. graph-node creates one per trigger. One for all triggers of the host is cheaper,
   * and shows that the module keeps no state.
   */
  readonly instances?: 'per-trigger' | 'one' | undefined
  /** Reads contracts. By default every call reverts. */
  readonly ethCall?: EthCall | undefined
  /** By default every account has code. */
  readonly hasCode?: HasCode | undefined
}

/** Runs the handlers of a subgraph as graph-node does. */
export type Host = {
  /**
   * Runs the handlers of a block's logs and returns the entities that it changed, in API form. A failure leaves the block
   * unapplied.
   */
  apply(block: BlockLogs): readonly EntityChange[]
  /** Returns all entities. */
  all(): readonly EntityChange[]
  readonly messages: readonly string[]
}

type HandlerExports = Readonly<Record<string, ((event?: number) => void) | undefined>>

type Call = { readonly source: DataSource; readonly handler: EventHandler; readonly trigger: Trigger }

export function createHost({ manifest, modules, schema, ...chain }: HostOptions): Host {
  const { ethCall = () => undefined, hasCode = () => true, instances = 'per-trigger' } = chain
  const store = createEntityStore(schema)
  const messages: string[] = []
  const log = (_: number, message: string) => messages.push(message)
  // The handler that runs sets the other members.
  const scope = { store, ethCall, hasCode, log } as Partial<Scope> as Scope
  const open = createOpener(modules, { scope, instances })

  const run = ({ source, handler, trigger }: Call) => {
    scope.dataSource = source
    scope.block = trigger.block
    const handlers = open(source.file)
    const handle = handlers[handler.handler] ?? missing(`export ${handler.handler} of ${source.file}`)
    handle(writeEvent(scope.heap, trigger))
  }
  return {
    messages,
    all: () => store.all().map(toChange),
    apply: (block) => {
      try {
        for (const call of callsOf(manifest, block)) run(call)
      } catch (error) {
        store.discardBlock()
        throw error
      }
      return store.commitBlock().map(toChange)
    },
  }
}

/** Creates the function that returns the exports of a module's instance and makes its memory the one of the scope. */
function createOpener(
  modules: HostOptions['modules'],
  { scope, instances }: { readonly scope: Scope; readonly instances: HostOptions['instances'] },
): (file: string) => HandlerExports {
  const loaded = new Map(
    [...modules].map(([file, module]) => [
      file,
      { module, imports: createImports(module, scope), classIds: new Map() },
    ]),
  )
  const kept = new Map<string, { readonly exports: ModuleExports & HandlerExports; readonly heap: Heap }>()
  return (file) => {
    const known = kept.get(file)
    if (known) {
      scope.heap = known.heap
      return known.exports
    }
    const { module, imports, classIds } = loaded.get(file) ?? missing(`module of ${file}`)
    const exports = new webAssembly.Instance(module, imports).exports as ModuleExports & HandlerExports
    scope.heap = createHeap(exports, classIds)
    exports['_start']?.()
    if (instances === 'one') kept.set(file, { exports, heap: scope.heap })
    return exports
  }
}

/** Returns the calls of a block in the order of its logs and, for one log, of the data sources. */
function callsOf(manifest: Manifest, { block, logs }: BlockLogs): readonly Call[] {
  const transactions = [...new Set(logs.map(({ transactionHash }) => transactionHash))]
  const ordered = logs.toSorted((a, b) => a.logIndex - b.logIndex)
  return ordered.flatMap((log) =>
    manifest.dataSources.flatMap((source) => {
      const found = findHandler(source, { log, number: block.number })
      if (!found) return []
      const receipt = found.handler.hasReceipt
        ? ordered.filter(({ transactionHash }) => transactionHash === log.transactionHash)
        : undefined
      const transactionIndex = transactions.indexOf(log.transactionHash)
      return [
        { source, handler: found.handler, trigger: { block, log, params: found.params, receipt, transactionIndex } },
      ]
    }),
  )
}

function findHandler(source: DataSource, { log, number }: { readonly log: Log; readonly number: number }) {
  if (log.address !== source.address || number < source.startBlock) return undefined
  const fitting = source.handlers.flatMap((handler) => {
    const params = handler.topic === log.topics[0] ? decodeLog(handler.event, log) : undefined
    return params ? [{ handler, params }] : []
  })
  if (fitting.length > 1) throw new Error(`${source.name} has several handlers of ${fitting[0]?.handler.event.name}`)
  return fitting[0]
}

function missing(what: string): never {
  throw new Error(`There is no ${what}`)
}

/** Converts an entity to its API form, with null for fields that have no value. */
function toChange({ type, id, entity }: StoreChange): EntityChange {
  if (!entity) return { entity: type.name, id, set: null }
  const fields = [...type.fields.values()].filter(({ derivedFrom }) => derivedFrom === undefined)
  const set = Object.fromEntries(fields.map(({ name }) => [name, toApiForm(entity.get(name))]))
  return { entity: type.name, id, set: { ...set, id } }
}

function toApiForm(value: StoreValue | undefined): unknown {
  if (value?.type === 'List') return value.value.map(toApiForm)
  return value?.type === 'BigInt' ? String(value.value) : (value?.value ?? null)
}
