import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bigIntOfBytes, bigIntToBytes } from './big-int-bytes.ts'
import { parseEntitySchema } from './entity-schema.ts'
import { createEntityStore } from './entity-store.ts'
import { MappingError } from './mapping-error.ts'
import type { StoreValue } from './store-value.ts'

const schema = parseEntitySchema(`
  type Owner @entity { id: Bytes! name: String things: [Thing!]! @derivedFrom(field: "owner") }
  type Thing @entity { id: ID! count: Int! sum: BigInt! owner: Owner! tags: [Bytes!]! note: String }
`)
const text = (value: string): StoreValue => ({ type: 'String', value })
const bytes = (value: string): StoreValue => ({ type: 'Bytes', value })
const thing: readonly (readonly [string, StoreValue])[] = [
  ['count', { type: 'Int', value: 1 }],
  ['sum', { type: 'BigInt', value: -1n }],
  ['owner', bytes('0xab')],
  ['tags', { type: 'List', value: [bytes('0x01')] }],
]
const entity = (...changed: readonly (readonly [string, StoreValue])[]) => new Map([...thing, ...changed])

test('default: a block sees its own changes, and keeps or discards them as a whole', () => {
  const store = createEntityStore(schema)
  store.set('Thing', '1', entity(['note', text('first')]))
  expect(store.get('Thing', '1')?.get('note')?.value).toBe('first')
  store.discardBlock()
  expect(store.get('Thing', '1')).toBeUndefined()
  store.set('Thing', '1', entity())
  expect(store.commitBlock().map(({ id }) => id)).toEqual(['1'])
  expect(store.getInBlock('Thing', '1')).toBeUndefined()
  expect(store.get('Thing', '1')?.get('count')?.value).toBe(1)
  store.remove('Thing', '1')
  expect(store.get('Thing', '1')).toBeUndefined()
  expect(store.commitBlock().map((change) => change.entity)).toEqual([undefined])
  expect(store.all()).toEqual([])
})

test('behavior: fields that are not set keep their value, and null removes one', () => {
  const store = createEntityStore(schema)
  store.set('Thing', '1', entity(['note', text('kept')]))
  store.commitBlock()
  store.set('Thing', '1', new Map([['count', { type: 'Int', value: 2 }]]))
  expect(store.get('Thing', '1')?.get('note')).toEqual(text('kept'))
  store.set('Thing', '1', new Map([['note', { type: 'Null', value: null }]]))
  expect([...store.get('Thing', '1')!.keys()].sort()).toEqual(['count', 'id', 'owner', 'sum', 'tags'])
})

test('behavior: an id of bytes is found in any notation, and a derived field finds its entities', () => {
  const store = createEntityStore(schema)
  store.set('Owner', '0xAB', new Map())
  store.commitBlock()
  store.set('Thing', '1', entity())
  expect(store.get('Owner', 'ab')?.get('id')).toEqual(bytes('0xab'))
  expect(store.loadRelated('Owner', '0xab', 'things').map((one) => one.get('id')?.value)).toEqual(['1'])
})

test.each([
  ['an unknown entity', 'Nothing', '1', entity(), 'has no entity Nothing'],
  ['an unknown field', 'Thing', '1', entity(['colour', text('red')]), 'undefined field colour'],
  ['a required field without a value', 'Thing', '1', new Map(thing.slice(1)), 'required field count'],
  ['a required field set to null', 'Thing', '1', entity(['sum', { type: 'Null', value: null }]), 'required field sum'],
  ['a wrong type', 'Thing', '1', entity(['sum', { type: 'Int', value: 1 }]), 'cannot have the value of type Int'],
  ['a reference of a wrong type', 'Thing', '1', entity(['owner', text('0xab')]), 'field owner cannot'],
  ['a wrong type in a list', 'Thing', '1', entity(['tags', { type: 'List', value: [text('a')] }]), 'field tags cannot'],
  ['no list', 'Thing', '1', entity(['tags', bytes('0x01')]), 'field tags cannot'],
  ['a derived field', 'Owner', '0xab', new Map([['things', { type: 'List', value: [] } as StoreValue]]), 'is derived'],
  ['another id than its own', 'Thing', '1', entity(['id', text('2')]), 'conflicts with the id 1'],
  ['an id of a wrong type', 'Owner', '0xab', new Map([['id', text('0xab')]]), 'conflicts with the id 0xab'],
  ['an id that is not hex', 'Owner', 'ann', new Map(), 'is not hex'],
])('error: refuses %s', (_, name, id, data, message) => {
  const store = createEntityStore(schema)
  expect(() => store.set(name, id, data)).toThrow(MappingError)
  expect(() => store.set(name, id, data)).toThrow(message)
  expect(store.commitBlock()).toEqual([])
})

test('behavior: integers have the shortest two’s complement form', () => {
  const forms = [0n, 1n, 127n, 128n, 255n, 256n, -1n, -128n, -129n, -32_768n].map((value) =>
    Buffer.from(bigIntToBytes(value)).toString('hex'),
  )
  expect(forms).toEqual(['00', '01', '7f', '8000', 'ff00', '0001', 'ff', '80', '7fff', '0080'])
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n }), (value) => {
      expect(bigIntOfBytes(bigIntToBytes(value))).toBe(value)
    }),
    { seed: 324, numRuns: 300 },
  )
})
