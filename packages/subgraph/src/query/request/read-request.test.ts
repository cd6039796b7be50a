import { expect, test } from 'vitest'
import { assertNesting } from './read-request.ts'

const nest = (depth: number) => `${'{a'.repeat(depth)}${'}'.repeat(depth)}`

test('default: brackets of all kinds may nest 50 deep', () => {
  expect(() => assertNesting(nest(50), { tokensMax: 1_000 })).not.toThrow()
  for (const [open, close] of ['{}', '[]', '()'])
    expect(() => assertNesting(`${open}${close} a `.repeat(60), { tokensMax: 1_000 })).not.toThrow()
})

test.each(['{', '[', '('])('error: the 51st open "%s" is rejected, with its place', (bracket) => {
  const text = bracket.repeat(51)
  expect(() => assertNesting(text, { tokensMax: 1_000 })).toThrow(
    'Syntax Error: Recursion limit exceeded, brackets nest deeper than 50.',
  )
  expect(() => assertNesting(text.slice(1), { tokensMax: 1_000 })).not.toThrow()
  const place = { locations: [{ line: 1, column: 51 }] }
  expect(() => assertNesting(text, { tokensMax: 1_000 })).toThrow(expect.objectContaining(place))
})

test('error: one token more than allowed is rejected', () => {
  expect(() => assertNesting('a b c', { tokensMax: 3 })).not.toThrow()
  expect(() => assertNesting('a b c d', { tokensMax: 3 })).toThrow('Syntax Error: The query has more than 3 tokens.')
})
