import { readFileSync } from 'node:fs'

/**
 * SDL of the protocol's entities, for `openSubgraph`. The build does not copy the file, so built code reads it from `src`:
 * the relative path is the same from `src/protocol` and `dist/protocol`.
 */
export const protocolSchema: string = readFileSync(
  new URL('../../src/protocol/schema.graphql', import.meta.url),
  'utf8',
)
