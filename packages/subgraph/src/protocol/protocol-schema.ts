import { readFileSync } from 'node:fs'

/**
 * The protocol's entities as SDL, for `openSubgraph`. The compiler copies no SDL, so built code reads the one file too: the
 * address is the same from `src/protocol` and from `dist/protocol`.
 */
export const protocolSchema: string = readFileSync(
  new URL('../../src/protocol/schema.graphql', import.meta.url),
  'utf8',
)
