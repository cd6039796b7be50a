import type { Schema } from './strict.ts'

type Property = string | { readonly type: string; readonly required?: boolean }

/** A definition in the schema of GitHub's own parser. */
type Definition = {
  readonly context?: readonly string[]
  readonly string?: { readonly constant?: string; readonly 'require-non-empty'?: boolean }
  readonly 'allowed-values'?: readonly string[]
  readonly boolean?: object
  readonly number?: object
  readonly null?: object
  readonly sequence?: { readonly 'item-type': string }
  readonly 'one-of'?: readonly string[]
  readonly mapping?: {
    readonly properties?: Readonly<Record<string, Property>>
    readonly 'loose-value-type'?: string
  }
}

/** Types that the parser knows without a definition. */
const builtIn: Readonly<Record<string, Schema>> = {
  any: {},
  boolean: { type: 'boolean' },
  mapping: { type: 'object' },
  null: { type: 'null' },
  number: { type: 'number' },
  sequence: { type: 'array' },
  string: { type: ['string', 'number', 'boolean'] },
}

const expression: Schema = { type: 'string', pattern: '^\\s*\\$\\{\\{[^]*\\}\\}\\s*$' }
const refer = (name: string): Schema => ({ $ref: `#/definitions/${name}` })

/** Returns the JSON Schema of the schema with which GitHub parses a workflow. */
export function convertWorkflow(source: Schema): Schema {
  const known = source['definitions'] as Readonly<Record<string, Definition>>
  const names = ['workflow-root-strict']
  const definitions: Record<string, Schema> = {}
  // Grows while it is read.
  for (const name of names) {
    if (definitions[name]) continue
    const found = known[name]
    const schema = found ? convert(found) : builtIn[name]
    if (!schema) throw new Error(`The schema of workflows has no definition "${name}".`)
    definitions[name] = found?.context && !found.string ? { anyOf: [expression, schema] } : schema
    names.push(...[...JSON.stringify(schema).matchAll(/#\/definitions\/([\w-]+)/g)].map(([, next = '']) => next))
  }
  return { ...refer('workflow-root-strict'), definitions }
}

function convert(definition: Definition): Schema {
  const { mapping, sequence, string } = definition
  if (definition['one-of']) return { anyOf: definition['one-of'].map(refer) }
  if (definition['allowed-values']) return { enum: definition['allowed-values'] }
  if (mapping) return convertMapping(mapping)
  if (sequence) return { type: 'array', items: refer(sequence['item-type']) }
  if (string?.constant !== undefined) return { const: string.constant }
  // A number or a boolean is read as its text.
  if (string) return { type: ['string', 'number', 'boolean'], ...(string['require-non-empty'] && { minLength: 1 }) }
  const name = (['boolean', 'number', 'null'] as const).find((type) => definition[type])
  if (!name)
    throw new Error(`The schema of workflows has a definition of an unknown form: ${JSON.stringify(definition)}`)
  return { type: name }
}

function convertMapping({ properties = {}, 'loose-value-type': loose }: NonNullable<Definition['mapping']>): Schema {
  const types = Object.entries(properties).map(([name, property]) => [
    name,
    refer(typeof property === 'string' ? property : property.type),
  ])
  const required = Object.entries(properties).flatMap(([name, property]) =>
    typeof property !== 'string' && property.required ? [name] : [],
  )
  return {
    type: 'object',
    properties: Object.fromEntries(types),
    additionalProperties: loose === undefined ? false : refer(loose),
    ...(required.length > 0 && { required }),
  }
}
