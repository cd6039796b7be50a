import { expect, test } from 'vitest'
import * as subgraph from './index.ts'

test('default: the package exports these values', () => {
  expect(Object.keys(subgraph)).toMatchInlineSnapshot(`
    [
      "createFollower",
      "auditIndex",
      "createProtocolMapping",
      "openProtocolMapping",
      "protocolSchema",
      "assertNesting",
      "rebuildIndex",
      "graphqlSchemaOf",
      "schemaIdOf",
      "openSubgraph",
      "SubgraphError",
    ]
  `)
})
