import { createHash } from 'node:crypto'
import { apiSchemaOf } from './api-schema-of.ts'
import { fingerprintOf } from './fingerprint-of.ts'

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
