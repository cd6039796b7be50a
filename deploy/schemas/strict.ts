export type Schema = { readonly [keyword: string]: unknown }

/** Refuses properties that a schema does not name, as the option `-strict` of kubeconform does. */
export function makeStrict(schema: Schema): Schema {
  return mapSchemas(schema, (inner) =>
    isRecord(inner['properties']) && inner['additionalProperties'] === undefined
      ? { ...inner, additionalProperties: false }
      : inner,
  )
}

/** Removes texts for people and editors, which are most of a schema. A property of such a name is an object and stays. */
export function removeTexts(schema: Schema): Schema {
  const names = new Set(['description', 'markdownDescription', 'title', 'examples', 'defaultSnippets'])
  return mapSchemas(schema, (inner) =>
    Object.fromEntries(Object.entries(inner).filter(([name, value]) => !names.has(name) || isRecord(value))),
  )
}

function mapSchemas(schema: Schema, change: (schema: Schema) => Schema): Schema {
  return Object.fromEntries(Object.entries(change(schema)).map(([name, value]) => [name, mapValue(value, change)]))
}

function mapValue(value: unknown, change: (schema: Schema) => Schema): unknown {
  if (Array.isArray(value)) return value.map((item) => mapValue(item, change))
  return isRecord(value) ? mapSchemas(value, change) : value
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
