import type { JsonSchema } from '@tallystick/core'
import type { Schemas } from './openapi.ts'

export type Field = {
  /** Path from the root, such as `data[].signature.r`. */
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly schema: JsonSchema
}

// No schema of the service is nested as deep as this. It bounds the work if one refers to itself.
const depthMax = 8

type Part = { readonly schema: JsonSchema; readonly prefix?: string; readonly depth?: number }

/** Returns all fields of a schema, at any depth, with their paths. */
export function flattenFields(schemas: Schemas, { schema, prefix = '', depth = 0 }: Part): readonly Field[] {
  if (depth > depthMax) return []
  const { properties, required = [], items, anyOf } = resolve(schemas, schema)
  const inner = depth + 1
  // An object or null.
  if (anyOf) return anyOf.flatMap((one) => flattenFields(schemas, { schema: one, prefix, depth: inner }))
  if (items) return flattenFields(schemas, { schema: items, prefix: `${prefix}[]`, depth: inner })
  return Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const field = { path, type: typeOf(schemas, property), required: required.includes(name), schema: property }
    return [field, ...flattenFields(schemas, { schema: property, prefix: path, depth: inner })]
  })
}

/** Returns the type of a schema in one or two words. */
export function typeOf(schemas: Schemas, schema: JsonSchema): string {
  const { type, items, anyOf } = resolve(schemas, schema)
  if (anyOf) return anyOf.map((one) => typeOf(schemas, one)).join(' or ')
  if (items) return `array of ${typeOf(schemas, items)}`
  return type === undefined ? 'any' : [type].flat().join(' or ')
}

function resolve(schemas: Schemas, schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema
  const name = schema.$ref.slice('#/components/schemas/'.length)
  return { ...schemas[name], ...schema }
}
