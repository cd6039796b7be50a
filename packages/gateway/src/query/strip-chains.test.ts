import fc from 'fast-check'
import { type DocumentNode, Kind, parse, print } from 'graphql'
import { describe, expect, test } from 'vitest'
import { stripChains } from './strip-chains.ts'

/** Strips a text, and asserts that the document is that of the stripped text. */
const strip = (text: string) => {
  const stripped = stripChains(text, parse(text))
  expect(print(stripped.document)).toBe(print(parse(stripped.text)))
  return stripped.text
}

/** Returns the document that the stripped text should stand for. */
function withoutChains(document: DocumentNode): DocumentNode {
  const definitions = document.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? {
          ...definition,
          variableDefinitions: (definition.variableDefinitions ?? []).filter(
            ({ variable }) => variable.name.value !== 'chains',
          ),
        }
      : definition,
  )
  return { ...document, definitions }
}

describe('declarations', () => {
  test.each([
    ['query ($chains: [Int!]!) { a }', 'query                    { a }'],
    ['query Q($chains:[Int]){a}', 'query Q               {a}'],
    ['query ($a: Int, $chains: [Int!]) { a(b: $a) }', 'query ($a: Int,                ) { a(b: $a) }'],
    ['query ($chains: [Int!]! = [1] @d(x: 2), $a: Int) { a }', undefined],
    ['query (\n # before (\n $ # inside\n chains : [Int!]! # after )\n) { a }', undefined],
    ['query A($chains: [Int!]!) { a } query B { b } query C($x: ID, $chains: [Int!]!) { c }', undefined],
    ['query ($chainsOf: Int) { a(b: $chainsOf) }', 'query ($chainsOf: Int) { a(b: $chainsOf) }'],
    ['{ chains(chains: "chains") { a } }', '{ chains(chains: "chains") { a } }'],
    ['query ($a: Int) { a(text: "é€😀 $chains") } # $chains', 'query ($a: Int) { a(text: "é€😀 $chains") } # $chains'],
  ])('default: %s', (text, expected) => {
    const stripped = strip(text)
    if (expected !== undefined) expect(stripped).toBe(expected)
    expect(print(parse(stripped))).toBe(print(withoutChains(parse(text))))
    expect([stripped.length, stripped.split('\n').length]).toEqual([text.length, text.split('\n').length])
  })

  test('behavior: any order, spacing and number of other variables', () => {
    const space = fc.constantFrom(' ', '', ', ', '\n', ' # comment ) $chains\n', '\uFEFF', '\r\n', '\t')
    const others = fc.uniqueArray(fc.constantFrom('a', 'b', 'chain', 'chainss'), { maxLength: 3 })
    const types = fc.constantFrom('[Int!]!', '[Int]', '[ Int ! ]', '[Int!]! = [324, 10]')
    fc.assert(
      fc.property(
        others,
        fc.nat(3),
        fc.array(space, { minLength: 12, maxLength: 12 }),
        types,
        (names, at, gaps, type) => {
          const declarations = names.map((name) => `$${name}: Int`)
          declarations.splice(at, 0, `$${gaps[8]}chains${gaps[9]}:${gaps[10]}${type}`)
          const text = `query Q${gaps[0]}(${declarations.map((one, index) => gaps[index + 1] + one).join(',')}${gaps[7]}) { a }`
          expect(print(parse(strip(text)))).toBe(print(withoutChains(parse(text))))
        },
      ),
    )
  })
})

describe('error', () => {
  const rejection = (text: string) => {
    try {
      return strip(text)
    } catch (error) {
      return (error as Error).message
    }
  }

  test.each([
    'query ($chains: [Int!]!) { pools(where: { id_in: $chains }) { id } }',
    'query ($chains: [Int!]!) { pools { ...F } } fragment F on Pool { a(x: [$chains]) }',
    'query ($chains: [Int!]!) { pools @include(if: $chains) { id } }',
    '{ pools(first: $chains) { id } }',
    'query A($chains: [Int!]!) { a } query B { b(c: $chains) }',
  ])('uses the variable: %s', (text) => {
    expect(rejection(text)).toContain('"$chains" selects the chains of the request and is not sent')
  })

  test.each(['Int', 'Int!', '[String!]!', '[[Int]]', '[Chain!]', 'chains'])('declares it as %s', (type) => {
    expect(rejection(`query ($chains: ${type}) { pools { id } }`)).toContain('Declare it as [Int!]!, or not at all.')
  })

  test('declares it twice', () => {
    expect(rejection('query ($chains: [Int], $chains: [Int]) { pools { id } }')).toContain('declared twice')
  })
})
