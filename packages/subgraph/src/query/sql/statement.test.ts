import { expect, test } from 'vitest'
import { readJson } from '../request/coerce-arguments.ts'
import type { Value } from '../request/value.ts'
import { isOpen, openVariables, parameterOf, signatureOf } from './statement.ts'

const variablesOf = (json: Readonly<Record<string, unknown>>) =>
  new Map(Object.entries(json).map(([name, value]) => [name, readJson(value)]))

const sign = (json: Readonly<Record<string, unknown>>) => signatureOf(variablesOf(json))

test('default: queries share a statement if only short texts differ', () => {
  expect(sign({ id: '0x01', first: 5 })).toBe(sign({ id: '0x02', first: 5 }))
  expect(sign({ id: '0x01' })).toBe(' id:String')
  expect(sign({ first: 5 })).toBe(' first:Int5')
  expect(sign({})).toBe('')
})

test.each([
  [{ first: 5 }, { first: 6 }],
  [{ rate: 1.5 }, { rate: 2.5 }],
  [{ isOpen: true }, { isOpen: false }],
  [{ id: '5' }, { id: 5 }],
  [{ id: '5' }, { id: null }],
  [{ id: null }, {}],
  [{ first: 5 }, { skip: 5 }],
])('behavior: %o and %o do not share one', (one, other) => {
  expect(sign(one)).not.toBe(sign(other))
})

test('behavior: the value of an enumeration is part of the shape', () => {
  const order = (text: string) => signatureOf(new Map([['order', { kind: 'Enum', text }]]))
  expect(order('asc')).not.toBe(order('desc'))
})

test.each([[{ ids: [] }], [{ ids: ['a'] }], [{ where: {} }], [{ id: 'a', where: { a: 'b' } }]])(
  'behavior: %o cannot be shared',
  (json) => {
    expect(sign(json)).toBeUndefined()
  },
)

test('behavior: a text of 200 bytes can be shared, a longer one cannot', () => {
  expect(sign({ id: 'x'.repeat(200) })).toBe(sign({ id: '' }))
  expect(sign({ id: 'x'.repeat(201) })).toBeUndefined()
  expect(sign({ id: 'é'.repeat(101) })).toBeUndefined()
})

test('default: a text becomes a parameter that each request fills, other values stay', () => {
  const opened = openVariables(variablesOf({ id: 'a', first: 5, none: null }))
  const id = opened.values.get('id') as Value
  expect([id, opened.values.get('first'), opened.values.get('none')].map((value) => isOpen(value as Value))).toEqual([
    true,
    false,
    false,
  ])
  const read = (value: Value) => `read ${(value as { readonly text: string }).text}`
  expect(parameterOf(id, read)).toEqual({ variable: 'id', read })
  expect(parameterOf(opened.values.get('first') as Value, read)).toBe('read 5')
  expect(opened.areRead).toBe(false)
})

test('behavior: a text that is read directly is noted, because the statement depends on it', () => {
  const opened = openVariables(variablesOf({ id: 'a' }))
  expect((opened.values.get('id') as { readonly text: string }).text).toBe('a')
  expect(opened.areRead).toBe(true)
})

test('error: a text that cannot be read is rejected when the statement is compiled', () => {
  const opened = openVariables(variablesOf({ id: 'zz' }))
  const read = () => {
    throw new Error('not an address')
  }
  expect(() => parameterOf(opened.values.get('id') as Value, read)).toThrow('not an address')
})
