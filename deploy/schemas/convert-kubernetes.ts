import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Schema } from './strict.ts'

type Attribute = { readonly baseName: string; readonly type: string; readonly format: string }

const scalars: Readonly<Record<string, Schema>> = {
  any: {},
  boolean: { type: 'boolean' },
  Date: { type: 'string' },
  IntOrString: { type: ['integer', 'string'] },
  string: { type: 'string' },
}

/**
 * Returns strict schemas of kinds from the directory of the package `@kubernetes/client-node`, whose types are generated
 * from the OpenAPI document of Kubernetes.
 */
export function convertKubernetes(folder: string, kinds: Readonly<Record<string, string>>): Schema {
  const names = Object.values(kinds)
  const definitions: Record<string, Schema> = {}
  // Grows while it is read.
  for (const name of names) {
    if (definitions[name]) continue
    definitions[name] = convertModel(folder, name)
    names.push(
      ...[...JSON.stringify(definitions[name]).matchAll(/#\/definitions\/(\w+)/g)].map(([, found = '']) => found),
    )
  }
  for (const [kind, name] of Object.entries(kinds)) {
    const [apiVersion, constant] = kind.split(' ')
    const properties = { ...(definitions[name]?.['properties'] as Schema) }
    Object.assign(properties, { apiVersion: { const: apiVersion }, kind: { const: constant } })
    definitions[name] = { ...definitions[name], properties, required: ['apiVersion', 'kind', 'metadata'] }
  }
  return { definitions }
}

function convertModel(folder: string, name: string): Schema {
  const read = (end: string) => readFileSync(join(folder, `dist/gen/models/${name}.${end}`), 'utf8')
  const [, json = ''] = /attributeTypeMap = (\[.*?\n\]);/s.exec(read('js')) ?? []
  const attributes: readonly Attribute[] = JSON.parse(json)
  const isRequired = new Set([...read('d.ts').matchAll(/^ {4}'(\S+)': /gm)].map(([, property]) => property))
  const properties = attributes.map(({ baseName, type, format }) => [baseName, convertType(type, format)])
  const required = attributes.flatMap(({ baseName }) => (isRequired.has(baseName) ? [baseName] : []))
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
    ...(required.length > 0 && { required }),
  }
}

function convertType(type: string, format: string): Schema {
  if (type === 'number') return { type: format.startsWith('int') ? 'integer' : 'number' }
  const [, item] = /^Array<(.+)>$/.exec(type) ?? []
  if (item) return { type: 'array', items: convertType(item, format) }
  const [, value] = /^\{ \[key: string\]: (.+); \}$/.exec(type) ?? []
  if (value) return { type: 'object', additionalProperties: convertType(value, format) }
  return scalars[type] ?? { $ref: `#/definitions/${type}` }
}
