import type { JsonSchema } from '../document.ts'

export type Field = {
  /** Path from the root, such as `data[].signature.r`. */
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly schema: JsonSchema
}

/** Returns all fields of a schema, at any depth, with their paths. */
export function flattenFields(
  schemas: Readonly<Record<string, JsonSchema>>,
  { schema, prefix = '' }: { readonly schema: JsonSchema; readonly prefix?: string },
): readonly Field[] {
  const { properties, required = [], items, anyOf } = resolve(schemas, schema)
  // An object or null.
  if (anyOf) return anyOf.flatMap((one) => flattenFields(schemas, { schema: one, prefix }))
  if (items) return flattenFields(schemas, { schema: items, prefix: `${prefix}[]` })
  return Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const field = { path, type: typeOf(schemas, property), required: required.includes(name), schema: property }
    return [field, ...flattenFields(schemas, { schema: property, prefix: path })]
  })
}

/** Resolves a reference to a schema. */
function resolve(schemas: Readonly<Record<string, JsonSchema>>, schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema
  const name = schema.$ref.slice('#/components/schemas/'.length)
  return { ...schemas[name], ...schema }
}

/** Returns the type of a schema in one or two words. */
export function typeOf(schemas: Readonly<Record<string, JsonSchema>>, schema: JsonSchema): string {
  const { type, items, anyOf } = resolve(schemas, schema)
  if (anyOf) return anyOf.map((one) => typeOf(schemas, one)).join(' or ')
  if (items) return `array of ${typeOf(schemas, items)}`
  return type === undefined ? 'any' : [type].flat().join(' or ')
}
