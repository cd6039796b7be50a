import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventTopics } from '@tallystick/contracts'
import { protocolSchema, schemaIdOf } from '@tallystick/subgraph'
import { expect, test } from 'vitest'
import { buildManifest } from '../scripts/build-manifest.ts'
import { parseChainDescription, readChainDescription } from '../scripts/chain-description.ts'
import { formatYaml } from '../scripts/format-yaml.ts'
import { readMappingModule } from '../scripts/mapping-module.ts'
import { loadManifest } from './load-subgraph.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const chain = {
  chainId: 31337,
  network: 'devnet',
  startBlock: 7,
  pool: address('A'),
  positions: address('b'),
  denylisters: { positions: address('7'), dollar: address('8') },
  signer: address('5'),
}
const parse = (changes: object) => parseChainDescription({ ...chain, ...changes })

test('default: each contract is a data source with its events, and each has the addresses of the chain', () => {
  const { dataSources } = buildManifest(parse({}))
  expect(dataSources.map(({ name, source }) => [name, source])).toEqual([
    ['Pool', { address: address('a'), abi: 'Pool', startBlock: 7 }],
    ['PositionToken', { address: address('b'), abi: 'PositionToken', startBlock: 7 }],
    ['Denylister', { address: address('7'), abi: 'Denylister', startBlock: 7 }],
    ['DollarDenylister', { address: address('8'), abi: 'Denylister', startBlock: 7 }],
  ])
  for (const { network, context } of dataSources) {
    expect(network).toBe('devnet')
    expect(context).toEqual({
      pool: { type: 'Bytes', data: address('a') },
      positions: { type: 'Bytes', data: address('b') },
      denylister: { type: 'Bytes', data: address('7') },
      dollarDenylister: { type: 'Bytes', data: address('8') },
      signer: { type: 'Bytes', data: address('5') },
    })
  }
})

test('behavior: a denylister of both tokens is one data source, and unknown addresses are missing in the context', () => {
  const shared = buildManifest(parse({ denylisters: { positions: address('7'), dollar: address('7') } }))
  expect(shared.dataSources.map(({ name }) => name)).toEqual(['Pool', 'PositionToken', 'Denylister'])
  const none = buildManifest(parse({ denylisters: { positions: null, dollar: null }, signer: null }))
  expect(none.dataSources.map(({ name }) => name)).toEqual(['Pool', 'PositionToken'])
  expect(Object.keys(none.dataSources[0]!.context)).toEqual(['pool', 'positions'])
  const dollar = buildManifest(parse({ denylisters: { positions: null, dollar: address('8') } }))
  expect(dollar.dataSources.slice(2).map(({ name, source }) => [name, source.address])).toEqual([
    ['Denylister', address('8')],
  ])
})

test('behavior: every handler is a function of the compiled module, and no log has two', async () => {
  const triggers = listTriggers()
  const exported = await listExports(readMappingModule())
  expect(triggers.filter(({ handler }) => !exported.includes(handler))).toEqual([])
  const logs = triggers.map((trigger) => `${trigger.address} ${trigger.topic}`)
  expect(new Set(logs).size).toBe(logs.length)
  const handlers = exported.filter((name) => name.startsWith('handle'))
  expect(new Set(triggers.map(({ handler }) => handler))).toEqual(new Set(handlers))
})

test('behavior: signatures and topics are those of the ABI', () => {
  const [, positionToken] = buildManifest(parse({})).dataSources
  expect(positionToken!.mapping.eventHandlers[0]).toEqual({
    event: 'Transfer(indexed address,indexed address,indexed uint256)',
    handler: 'handleTransfer',
  })
  const triggers = listTriggers()
  expect(triggers.find(({ handler }) => handler === 'handleTransfer')!.topic).toBe(eventTopics.Transfer)
  expect(triggers.filter(({ hasReceipt }) => hasReceipt).map(({ handler }) => handler)).toEqual(['handleLend'])
  expect(triggers.filter(({ topic }) => topic === eventTopics.Paused).map(({ handler }) => handler)).toEqual([
    'handlePoolPaused',
    'handlePositionTokenPaused',
  ])
  // The one topic that the mapping compares itself.
  expect(readFileSync(new URL('../src/find-holder.ts', import.meta.url), 'utf8')).toContain(eventTopics.Transfer)
})

test('behavior: graph-cli and the embedded subgraph take the same schema', () => {
  const entities = [...protocolSchema.matchAll(/^type (\w+) (.*)\{$/gm)]
  expect(entities.map(([, name]) => name)).toEqual(buildManifest(parse({})).dataSources[0]!.mapping.entities)
  // graph-cli demands the argument. It changes nothing in an existing index.
  expect(entities.map(([, , directive]) => directive)).toEqual(entities.map(() => '@entity(immutable: false) '))
  expect(schemaIdOf(protocolSchema)).toBe(schemaIdOf(protocolSchema.replaceAll('(immutable: false)', '')))
})

test('default: the descriptions of the repository are valid and named after their chain', () => {
  const folder = fileURLToPath(new URL('../chains/', import.meta.url))
  const names = readdirSync(folder)
  expect(names).toContain('8453.json')
  for (const name of names) expect(`${readChainDescription(join(folder, name)).chainId}.json`).toBe(name)
})

test('error: a description with faults is refused with all of them', () => {
  expect(() =>
    parse({ chainId: 0, network: 'Base', startBlock: -1, pool: '0x1', signer: undefined, extra: 1 }),
  ).toThrow(
    'extra is unknown; network must be a name of lower-case letters, digits and hyphens; chainId must be an integer of at least 1; startBlock must be an integer of at least 0; pool must be an address, 0x and 40 hexadecimal digits; signer must be an address, 0x and 40 hexadecimal digits.',
  )
  expect(() => parse({ positions: chain.pool.toLowerCase() })).toThrow('pool and positions must be different contracts')
  expect(() => parse({ denylisters: { positions: chain.pool, dollar: null } })).toThrow(
    'denylisters.positions must not be the pool or the position token',
  )
  expect(() => parse({ denylisters: [] })).toThrow('denylisters must be an object')
  expect(() => parseChainDescription('324')).toThrow('the description must be an object')
  expect(() => readChainDescription('/nowhere.json')).toThrow(
    'The chain description /nowhere.json is not valid: ENOENT',
  )
})

test('default: manifests are written as YAML', () => {
  expect(
    formatYaml({ a: 'x: "y"', b: { c: 1, d: undefined }, list: [{ e: true, f: ['g'] }, 'h'], none: [], no: {} }),
  ).toBe(
    [
      'a: "x: \\"y\\""',
      'b:',
      '  c: 1',
      'list:',
      '  - e: true',
      '    f:',
      '      - "g"',
      '  - "h"',
      'none: []',
      'no: {}',
      '',
    ].join('\n'),
  )
})

/** Lists which handler takes which logs: by address and first topic. */
function listTriggers() {
  const { dataSources } = loadManifest(parse({}))
  return dataSources.flatMap(({ address, handlers }) => handlers.map((handler) => ({ ...handler, address })))
}

/** Returns the names of a module's exports. The types of WebAssembly would come with those of a browser. */
async function listExports(bytes: Uint8Array): Promise<readonly string[]> {
  const { compile, Module } = (globalThis as unknown as Readonly<Record<'WebAssembly', WasmApi>>).WebAssembly
  return Module.exports(await compile(bytes)).map(({ name }) => name)
}

type WasmApi = {
  compile(bytes: Uint8Array): Promise<object>
  readonly Module: { exports(module: object): readonly { readonly name: string }[] }
}
