import type { Entity, StoreValue } from './store-value.ts'

/** Reads the context of a data source: fields with a type and a value in the manifest. */
export function readContext(context: Readonly<Record<string, unknown>>): Entity {
  return new Map(Object.entries(context).map(([name, field]) => [name, readField(name, field)]))
}

function readField(name: string, field: unknown): StoreValue {
  const { type, data } = field as { readonly type: string; readonly data: unknown }
  switch (type) {
    case 'Bool':
      return { type: 'Boolean', value: data === true }
    case 'Int':
      return { type: 'Int', value: Number(data) }
    case 'String':
      return { type: 'String', value: String(data) }
    case 'Bytes':
      return { type: 'Bytes', value: String(data).toLowerCase() }
    case 'BigInt':
      return { type: 'BigInt', value: BigInt(String(data)) }
    case 'List':
      return { type: 'List', value: (data as unknown[]).map((item) => readField(name, item)) }
    default:
      throw new Error(`The test host does not support the type ${type} of the context's field ${name}`)
  }
}
