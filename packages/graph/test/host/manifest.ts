import { type AbiEvent, toEventSelector } from 'viem'

type Abi = readonly { readonly type: string }[]

export type EventHandler = {
  readonly topic: string
  readonly event: AbiEvent
  readonly handler: string
  readonly hasReceipt: boolean
}

export type DataSource = {
  readonly name: string
  readonly network: string
  readonly address: string
  readonly startBlock: number
  readonly context: Readonly<Record<string, unknown>>
  /** File of the mapping's source. */
  readonly file: string
  readonly handlers: readonly EventHandler[]
  readonly abis: ReadonlyMap<string, Abi>
}

export type Manifest = { readonly schemaFile: string; readonly dataSources: readonly DataSource[] }

/** Reads a parsed subgraph.yaml. Throws on any part that the test host would not honour. */
export function readManifest(document: unknown, readAbi: (file: string) => Abi): Manifest {
  const root = only(document, ['specVersion', 'description', 'repository', 'indexerHints', 'schema', 'dataSources'])
  const schemaFile = only(root['schema'], ['file'])['file'] as string
  const dataSources = (root['dataSources'] as unknown[]).map((source) => readDataSource(source, readAbi))
  return { schemaFile, dataSources }
}

function readDataSource(document: unknown, readAbi: (file: string) => Abi): DataSource {
  const found = only(document, ['kind', 'name', 'network', 'context', 'source', 'mapping'])
  const source = only(found['source'], ['abi', 'address', 'startBlock'])
  const mapping = only(found['mapping'], [
    'kind',
    'apiVersion',
    'language',
    'entities',
    'abis',
    'eventHandlers',
    'file',
  ])
  const isSupported =
    found['kind'] === 'ethereum' &&
    mapping['kind'] === 'ethereum/events' &&
    mapping['language'] === 'wasm/assemblyscript'
  if (!isSupported || mapping['apiVersion'] !== '0.0.9') throw new Error(`Unsupported data source ${found['name']}`)
  const abis = new Map(
    (mapping['abis'] as unknown[]).map((abi) => {
      const { name, file } = only(abi, ['name', 'file'])
      return [name as string, readAbi(file as string)]
    }),
  )
  const abi = abis.get(source['abi'] as string)
  if (!abi) throw new Error(`The data source ${found['name']} has no ABI ${source['abi']}`)
  return {
    name: found['name'] as string,
    network: found['network'] as string,
    address: (source['address'] as string).toLowerCase(),
    startBlock: (source['startBlock'] as number | undefined) ?? 0,
    context: (found['context'] ?? {}) as Readonly<Record<string, unknown>>,
    file: mapping['file'] as string,
    handlers: (mapping['eventHandlers'] as unknown[]).map((handler) => readHandler(handler, abi)),
    abis,
  }
}

function readHandler(document: unknown, abi: Abi): EventHandler {
  const { event: signature, handler, receipt } = only(document, ['event', 'handler', 'receipt'])
  const events = abi.filter((item): item is AbiEvent => item.type === 'event')
  const event = events.find((one) => signatureOf(one) === signature)
  if (!event) throw new Error(`The event ${signature} is not in the ABI of its data source`)
  return { topic: toEventSelector(event), event, handler: handler as string, hasReceipt: receipt === true }
}

/** Returns the signature of an event as a manifest has it: with `indexed`, without names. */
function signatureOf({ name, inputs }: AbiEvent): string {
  const parameters = inputs.map(({ indexed, type }) => `${indexed ? 'indexed ' : ''}${type}`)
  return `${name}(${parameters.join(',')})`
}

function only(document: unknown, keys: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof document !== 'object' || document === null) throw new Error('The manifest has a part that is no map')
  const unknown = Object.keys(document).filter((key) => !keys.includes(key))
  if (unknown.length > 0) throw new Error(`The test host does not support ${unknown.join(', ')} in a manifest`)
  return document as Readonly<Record<string, unknown>>
}
