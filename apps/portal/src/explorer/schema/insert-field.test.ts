import { buildSchema, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { listOperations } from '../use-explorer-draft.ts'
import { describeType } from './describe-type.ts'
import { insertField } from './insert-field.ts'
import { searchSchema } from './search-schema.ts'

const schema = buildSchema(`
  type Query {
    account(id: ID!, block: Int): Account
    accounts(first: Int = 100, where: Account_filter): [Account!]!
    pools: [Pool!]!
    version: String
  }
  type Account { id: ID! positions: [Position!]! total: Int }
  type Position { id: ID! owner: Account! }
  type Pool { paused: Boolean }
  input Account_filter { id: ID total_gt: Int }
  enum Order { asc desc }
`)

/** Inserts a field where \`|\` is. */
function insert(marked: string, path: string) {
  const [typeName = '', fieldName = ''] = path.split('.')
  const cursor = marked.indexOf('|')
  const text = marked.replace('|', '')
  return insertField(text, { schema, typeName, fieldName, cursor: cursor === -1 ? text.length : cursor })
}

test('default: a field of the root starts a query, and the next ones go to where their type is selected', () => {
  const first = insert('', 'Query.accounts')
  expect(first).toMatchObject({ text: '{\n  accounts {\n    id\n  }\n}' })
  const second = insert((first as { text: string }).text, 'Account.total')
  expect(second).toMatchObject({ text: '{\n  accounts {\n    id\n    total\n  }\n}' })
  const third = insert((second as { text: string }).text, 'Query.version') as { text: string; cursor: number }
  expect(third.text).toBe('{\n  accounts {\n    id\n    total\n  }\n  version\n}')
  expect(third.text.slice(0, third.cursor)).toMatch(/version$/)
})

test('behavior: the selection around the cursor is preferred to the first one', () => {
  const query = '{\n  accounts { id positions { owner { |id } } }\n}'
  expect(insert(query, 'Account.total')).toMatchObject({
    text: '{\n  accounts { id positions { owner { id\n    total\n  } } }\n}',
  })
  expect(insert('{ accounts { id } pools { paused| } }', 'Account.total')).toMatchObject({
    text: expect.stringMatching(/accounts \{ id\s+total\s+\} pools/),
  })
})

test.each([
  ['{ version }', 'Query.account'],
  ['{ version }', 'Query.pools'],
  ['query A($x: ID!) { account(id: $x) { id } }', 'Account.positions'],
  ['{ accounts { ...f } } fragment f on Account { id }', 'Account.total'],
  ['# note }\n{ accounts { id } }', 'Account.total'],
])('behavior: what is inserted into %s is a valid query', (query, path) => {
  const { text } = insert(query, path) as { text: string }
  expect(validate(schema, parse(text))).toEqual([])
})

test('error: says why a field cannot be inserted', () => {
  expect(insert('', 'Account.id')).toEqual({ fault: expect.stringContaining('selects nothing of type Account yet') })
  expect(insert('{ version }', 'Account.id')).toEqual({ fault: expect.stringContaining('leads to it first') })
  expect(insert('{ accounts {', 'Query.version')).toEqual({ fault: 'The query is not complete. Correct it first.' })
  expect(insert('{ version }', 'Account_filter.id')).toEqual({ fault: expect.stringContaining('has no field') })
  expect(insert('{ version }', '__proto__.x')).toEqual({ fault: expect.stringContaining('has no field') })
})

test('behavior: the search finds types and fields, and those of the root first', () => {
  const names = (text: string) =>
    searchSchema(schema, text).map(({ typeName, fieldName = '' }) => `${typeName}.${fieldName}`)
  expect(names('ACCOUNT')).toEqual(['Query.account', 'Query.accounts', 'Account.', 'Account_filter.'])
  expect(names('total')).toEqual(['Account.total', 'Account_filter.total_gt'])
  expect(names('  ')).toEqual([])
  expect(names('nothing')).toEqual([])
})

test('behavior: types are described with arguments, defaults and values', () => {
  const { kind, fields } = describeType(schema.getType('Query')!)
  expect(kind).toBe('type')
  expect(fields[1]?.args?.map(({ name, type, defaultValue }) => [name, String(type), defaultValue])).toEqual([
    ['first', 'Int', 100],
    ['where', 'Account_filter', undefined],
  ])
  expect(describeType(schema.getType('Account_filter')!)).toMatchObject({ kind: 'input', values: [] })
  expect(describeType(schema.getType('Order')!)).toMatchObject({
    kind: 'enum',
    values: [{ name: 'asc' }, { name: 'desc' }],
  })
  expect(describeType(schema.getType('Int')!)).toMatchObject({ kind: 'scalar', fields: [] })
})

test('behavior: operations are listed by name', () => {
  expect(listOperations('query A { version } query B { version } { version }')).toEqual(['A', 'B'])
  expect(listOperations('query A {')).toEqual([])
})
