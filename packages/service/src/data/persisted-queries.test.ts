import { createHash } from 'node:crypto'
import { createAnalyse } from '@tallystick/gateway'
import { graphqlSchemaOf, protocolSchema } from '@tallystick/subgraph'
import { expect, test } from 'vitest'
import { createAnalysePersisted } from './persisted-queries.ts'

const analyse = createAnalyse(graphqlSchemaOf(protocolSchema))
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const both = (query: string) => ({ query, sha256Hash: hashOf(query) })
const hashOnly = (query: string) => ({ query: undefined, sha256Hash: hashOf(query) })

test('default: a text is known by its hash once it was sent with it', () => {
  const persisted = createAnalysePersisted(analyse)
  const text = '{ pools { id } } # é€😀'
  expect(() => persisted(hashOnly(text))).toThrow('PersistedQueryNotFound')
  persisted({ query: text, sha256Hash: undefined })
  expect(() => persisted(hashOnly(text))).toThrow('PersistedQueryNotFound')
  persisted(both(text))
  expect(persisted(hashOnly(text)).text).toBe(text)
})

test('error: neither a rejected text nor one with another hash is remembered', () => {
  const persisted = createAnalysePersisted(analyse)
  for (const text of ['{', 'mutation { a }', '{ pools(first: 100001) { id } }']) {
    expect(() => persisted(both(text))).toThrow()
    expect(() => persisted(hashOnly(text))).toThrow('PersistedQueryNotFound')
  }
  expect(() => persisted({ query: '{ pools { id } }', sha256Hash: hashOf('{ a }') })).toThrow('is not the SHA-256')
  expect(() => persisted(hashOnly('{ a }'))).toThrow('PersistedQueryNotFound')
  expect(() => persisted(hashOnly('{ pools { id } }'))).toThrow('PersistedQueryNotFound')
})

test('behavior: the memory is bounded in number and in bytes', () => {
  const isKnown = (persisted: ReturnType<typeof createAnalysePersisted>, text: string) => {
    try {
      return persisted(hashOnly(text)).text === text
    } catch {
      return false
    }
  }
  // The analysis of each text would take most of the time.
  const analysed = analyse('{ pools { id } }')
  const pretend = (text: string) => ({ ...analysed, text })
  const many = createAnalysePersisted(pretend)
  const short = (index: number) => `{ pools(first: ${index}) { id } }`
  for (let index = 0; index <= 2_000; index += 1) many(both(short(index)))
  expect([isKnown(many, short(0)), isKnown(many, short(1)), isKnown(many, short(2_000))]).toEqual([false, true, true])
  const large = createAnalysePersisted(pretend)
  const long = (index: number) => `{ pools { id } } # ${index} ${'x'.repeat(60_000)}`
  for (let index = 0; index < 80; index += 1) large(both(long(index)))
  expect([isKnown(large, long(0)), isKnown(large, long(79))]).toEqual([false, true])
})
