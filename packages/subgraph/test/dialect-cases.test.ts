// @module-tag postgres

import { databaseEngines } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Subgraph } from '../src/index.ts'
import cases from '../vectors/dialect-cases.json' with { type: 'json' }
import { type OpenTest, openFixture, openTest } from './open-fixture.ts'

type Expectation = { readonly data?: unknown; readonly error?: string }
type Case = {
  readonly name: string
  readonly query: string
  readonly variables: Record<string, unknown> | null
  readonly expect: Expectation
  readonly expectStrict?: Expectation
  readonly expectSpec?: Expectation
  readonly match?: string
}

describe.each(databaseEngines)('%s', (engine) => {
  let opened: OpenTest
  let subgraph: Subgraph
  beforeAll(async () => {
    opened = await openTest(engine)
    subgraph = await openFixture(opened.database)
  })
  afterAll(() => opened.close())

  test.each(cases as unknown as readonly Case[])('behavior: $name', async (sample) => {
    const { query, variables } = sample
    const result = await subgraph.execute({ query, ...(variables && { variables }) })
    // This engine validates, so expectStrict takes precedence over expect. Where graph-node fails or deviates from GraphQL
    // (expectSpec: a literal beyond 64 bits, @skip on a spread), it follows GraphQL.
    const expected = sample.expectSpec ?? sample.expectStrict ?? sample.expect
    if (expected.error !== undefined) {
      expect(result).not.toHaveProperty('data')
      expect(result.errors?.[0]?.message).toMatch(new RegExp(expected.error))
    } else {
      expect(result.errors).toBeUndefined()
      if (sample.match === 'subset') expect(result.data).toMatchObject(expected.data as object)
      else expect(result).toEqual({ data: expected.data })
    }
  })
})
