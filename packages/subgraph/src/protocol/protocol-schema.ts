import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

// Found by its name, because this module also runs from a bundle in another directory.
const path = createRequire(import.meta.url).resolve('@tallystick/subgraph/schema.graphql')

/** SDL of the protocol's entities, for `openSubgraph`. */
export const protocolSchema: string = readFileSync(path, 'utf8')
