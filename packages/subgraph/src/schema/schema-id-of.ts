import { createHash } from 'node:crypto'
import { apiSchemaOf } from './api-schema.ts'
import type { EntityModel } from './entity-model.ts'

/**
 * Returns 8 hexadecimal digits that are equal for equivalent schemas, for the name of a namespace. A store keeps its schema,
 * so a release with another schema needs another namespace.
 */
export function schemaIdOf(schema: string): string {
  return createHash('sha256')
    .update(fingerprintOf(apiSchemaOf(schema).model))
    .digest('hex')
    .slice(0, 8)
}

/** Returns a text that is equal for equivalent schemas. Comments and the order of types and fields do not count. */
export function fingerprintOf({ entities, enums }: EntityModel): string {
  return JSON.stringify({
    entities: [...entities.values()].sort(byName).map((entity) => ({
      name: entity.name,
      fields: entity.fields.map(({ description: _, ...field }) => field).sort(byName),
    })),
    enums: [...enums.values()].sort(byName),
  })
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1
}

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Returns a deployment id in graph-node's form: the IPFS CIDv0 of the schema's SHA-256. */
export function deploymentOf(schema: string): string {
  // The multihash prefix 0x1220 means SHA-256 with 32 bytes.
  let number = BigInt(`0x1220${createHash('sha256').update(schema).digest('hex')}`)
  let text = ''
  for (; number > 0n; number /= 58n) text = `${base58.charAt(Number(number % 58n))}${text}`
  return text
}
