import { positionQuery } from '@tallystick/core'
import { graphqlSchemaOf, protocolSchema } from '@tallystick/subgraph'
import { getIntrospectionQuery, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { createAnalyse, prepareQuery } from './analyse-query.ts'

const analyse = createAnalyse(graphqlSchemaOf(protocolSchema))
const prepare = (text: string, variables: Record<string, unknown> = {}, operationName?: string) =>
  prepareQuery(analyse(text), { variables, operationName })
const rejection = (text: string, variables?: Record<string, unknown>, operationName?: string) => {
  try {
    prepare(text, variables, operationName)
  } catch (error) {
    return error as { code: string; message: string; details?: Record<string, unknown> }
  }
  throw new Error('it was taken')
}
const limitOf = (text: string, variables?: Record<string, unknown>) => rejection(text, variables).details?.['limit']

const nest = (depth: number) => `${'a { '.repeat(depth - 1)}a${' }'.repeat(depth - 1)}`

describe('limits', () => {
  test('default: the query of the specification is within them', () => {
    expect(prepare(positionQuery, { walletAddress: '0x01' }).text).toBe(positionQuery)
  })

  test('behavior: accepts 10 levels and rejects 11, including fragments', () => {
    const one = (depth: number) => `{ pool(id: 1) { ${nest(depth - 1).replaceAll('a {', 'a(id: 1) {')} } }`
    prepare(one(10))
    expect(limitOf(one(11))).toBe('depth')
    expect(limitOf(`{ pool(id: 1) { ...F } } fragment F on Pool { ${nest(10)} }`)).toBe('depth')
  })

  test('behavior: accepts 30 root fields and rejects 31, including fragments', () => {
    const roots = (count: number) => Array.from({ length: count }, (_, index) => `f${index}`).join(' ')
    prepare(`{ ${roots(30)} }`)
    expect(limitOf(`{ ${roots(31)} }`)).toBe('rootFields')
    expect(limitOf(`{ ${roots(15)} ...F ...F } fragment F on Query { ${roots(8)} }`)).toBe('rootFields')
  })

  test('behavior: accepts 100 aliases and rejects 101, at any level', () => {
    const aliases = (count: number) => Array.from({ length: count }, (_, index) => `a${index}: id`).join(' ')
    prepare(`{ pools { ${aliases(100)} } }`)
    expect(limitOf(`{ pools { ${aliases(101)} } }`)).toBe('aliases')
    expect(limitOf(`{ ${aliases(1_000)} }`)).toBe('tokens')
    expect(limitOf(`{ ${Array.from({ length: 600 }, (_, index) => `a${index}: id`).join(' ')} }`)).toBe('aliases')
    expect(limitOf(`{ x: pools { ...F } y: pools { ...F } } fragment F on Pool { ${aliases(50)} }`)).toBe('aliases')
  })

  test('behavior: accepts 2,000 tokens and rejects 2,001', () => {
    const fields = (count: number) => `{ pools { ${'id '.repeat(count)} } }`
    prepare(fields(1_995))
    expect(limitOf(fields(1_996))).toBe('tokens')
    for (const text of ['{a'.repeat(32_000), `{ pools(where: { id_in: ${'['.repeat(65_000)}`]) {
      expect(rejection(text).message).toContain('brackets nest deeper than 50')
    }
  })

  test('behavior: rejects a fragment bomb quickly', () => {
    const bomb = Array.from({ length: 60 }, (_, level) => {
      const next = level < 59 ? `...F${level + 1}` : 'id'
      return `fragment F${level} on Pool { ${next} ${next} ${next} }`
    })
    const text = `{ pools { ...F0 } } ${bomb.join(' ')}`
    const { message, details } = rejection(text)
    expect(details).toEqual({ limit: 'fields', max: 2_000, found: 'far more' })
    expect(message).toContain('selects far more fields')
  })

  test.each([
    ['itself', '{ pools { ...A } } fragment A on Pool { ...A }'],
    ['itself by way of another', '{ pools { ...A } } fragment A on Pool { ...B } fragment B on Pool { id ...A }'],
  ])('error: a fragment that spreads %s', (_, text) => {
    expect(rejection(text).message).toMatch(/The fragment "A" spreads itself/)
  })
})

describe('rows', () => {
  const positions = (first: string, inner: string) => `{ accounts(first: ${first}) { positions${inner} { id } } }`

  test('behavior: accepts 100,000 rows and rejects one more', () => {
    prepare(positions('1000', '(first: 100)'))
    prepare(positions('1000', ''))
    expect(limitOf(positions('1000', '(first: 101)'))).toBe('rows')
    expect(limitOf('{ accounts(first: 1000) { positions { account { positions { id } } } } }')).toBe('rows')
  })

  test('behavior: a field that the schema does not declare as a list does not multiply the rows', () => {
    prepare('{ positionInfos(first: 1000) { account { id } pool { id } partner { id } } }')
    prepare('{ positionInfos(first: 1000) { partner { unknown { id } } } }')
    expect(limitOf('{ positionInfos(first: 1000) { unknown { unknown { id } } } }')).toBe('rows')
    prepare('{ account(id: "0x01") { positions(first: 1000) { pool { id } } } }')
    prepare('{ other(id: "0x01") { others(first: 1000) { id } } }')
  })

  test('behavior: rejects a huge number in any notation', () => {
    for (const first of ['100001', '999999999999999999999999', '1'.padEnd(400, '0')]) {
      expect(limitOf(`{ pools(first: ${first}) { id } }`)).toBe('rows')
    }
    prepare('{ pools(first: -5) { id } }')
    prepare('{ pools(first: null) { id } }')
    prepare('{ pools(first: "x") { id } }')
  })

  test('behavior: a variable counts with its value, its default or 100', () => {
    const text = (declaration: string) =>
      `query (${declaration}) { accounts(first: $n) { positions(first: 200) { id } } }`
    prepare(text('$n: Int'), { n: 500 })
    expect(limitOf(text('$n: Int'), { n: 501 })).toBe('rows')
    prepare(text('$n: Int = 500'))
    expect(limitOf(text('$n: Int = 501'))).toBe('rows')
    prepare(text('$n: Int = 501'), { n: 1 })
    prepare(text('$n: Int'))
    for (const n of ['501', null, {}, [], true, -1, Number.POSITIVE_INFINITY]) {
      const check = () => prepare(text('$n: Int'), { n })
      if (n === Number.POSITIVE_INFINITY) expect(check).toThrow('rows')
      else check()
    }
  })
})

describe('introspection', () => {
  test('default: accepts the introspection query of common tools', () => {
    const text = getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true, specifiedByUrl: true })
    expect(prepare(text).operationName).toBeUndefined()
  })

  test('error: rejects an introspection query with cycles', () => {
    const text = `{ __schema { types { ${'fields { type { '.repeat(4)}name${' } }'.repeat(4)} } } }`
    expect(rejection(text).message).toContain('introspection depth')
  })
})

describe('operations', () => {
  test.each([
    ['mutation { a }', 'This is a mutation'],
    ['subscription { a }', 'This is a subscription'],
    ['query A { a } mutation B { a }', 'This is a mutation'],
    ['type A { a: Int }', 'type definitions'],
    ['{ a } extend type A { b: Int }', 'type definitions'],
    ['fragment A on Pool { id }', 'no operation'],
    ['{ a } { b }', 'each needs a name'],
    ['query A { a } { b }', 'each needs a name'],
    ['query A { a } query A { b }', 'two operations named "A"'],
    ['{ ...A } fragment A on Q { a } fragment A on Q { b }', 'two fragments named "A"'],
    ['{ ...A }', 'the undefined fragment "A"'],
    ['', 'Syntax Error: Unexpected <EOF>. (line 1, column 1)'],
    ['{', 'Syntax Error'],
    ['{ a(b: "\\u0") }', 'Syntax Error'],
  ])('error: %s', (text, message) => {
    const error = rejection(text)
    expect(error.code).toBe('query_rejected')
    expect(error.message).toContain(message)
    expect(rejection(text)).toBe(error)
  })

  test('behavior: operationName selects one of several operations and is ignored for a single one', () => {
    const two = 'query A { a } query B { b }'
    expect(prepare(two, {}, 'B').operationName).toBe('B')
    expect(prepare('query A { a }', {}, 'B').operationName).toBeUndefined()
    expect(rejection(two).message).toBe('Set "operationName" to one of: A, B.')
    expect(rejection(two, {}, 'C').message).toContain('Use one of: A, B.')
    expect(prepare(two, {}, 'A').key).not.toBe(prepare(two, {}, 'B').key)
  })
})

describe('variables', () => {
  test('behavior: removes the declaration of `chains` from both texts', () => {
    const text = 'query ($chains: [Int!]!, $first: Int!) { pools(first: $first) { id } }'
    const prepared = prepare(text, { chains: [324], first: 1 })
    expect([prepared.text, prepared.textWithHead].join()).not.toContain('chains')
    expect(prepared.variables).toEqual({ first: 1 })
    expect(prepared.textWithHead).toContain('{ tallystickHead: _meta')
    expect(prepare('query ($chains: [Int!]!) { pools { id } }').variables).toEqual({})
  })

  test('behavior: forwards declared variables, but not others and never `chains`', () => {
    const text = 'query ($a: Int, $b: Int! = 2, $toString: Int) { pools(first: $a, skip: $b) { id } }'
    expect(prepare(text, { a: 1, c: 3, chains: [324] }).variables).toEqual({ a: 1 })
    expect(prepare(text, { a: null }).variables).toEqual({ a: null })
    expect(prepare(text, { a: 1, c: 3 }).key).toBe(prepare(text, { a: 1 }).key)
  })

  test('error: rejects a query whose required variable is missing', () => {
    const message = 'The variable "$walletAddress" of type "Bytes!" is missing in "variables".'
    expect(rejection(positionQuery).message).toBe(message)
    expect(rejection(positionQuery, { walletAddress: null }).message).toBe(message)
  })
})

describe('the head', () => {
  test('default: is selected in the requested operation, and the rest of the text is unchanged', () => {
    const text = 'query A { a } # {\nquery B($x: Int = 1) @skip(if: false) { b }'
    const { textWithHead, headAlias } = prepare(text, {}, 'B')
    expect(headAlias).toBe('tallystickHead')
    const added = ' tallystickHead: _meta { block { number hash timestamp } } '
    expect(textWithHead).toBe(text.replace('{ b }', `{${added} b }`))
    expect(() => parse(textWithHead)).not.toThrow()
  })

  test('behavior: has an alias that the caller does not use', () => {
    const { textWithHead, headAlias } = prepare('{ tallystickHead: pools { tallystickHead_: id } }')
    expect(headAlias).toBe('tallystickHead__')
    expect(() => parse(textWithHead)).not.toThrow()
  })
})
