import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { configSchema } from '../src/config/config-schema.ts'

type JsonSchema = {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
}

const documentation = new URL('../../../docs/configuration.md', import.meta.url)

/** Returns the JSON Schema of the configuration: its structure from the code, its texts from docs/configuration.md. */
export function buildConfigSchema(): JsonSchema {
  const sources = { env: {}, secrets: 'optional', baseDirectory: '/' } as const
  // Editors support draft 7 best.
  const { $schema, ...schema } = z.toJSONSchema(configSchema(sources), {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
  }) as JsonSchema & { readonly $schema: string }
  const described = describeMembers(schema, { path: '', texts: readTexts(readFileSync(documentation, 'utf8')) })
  return { $schema, title: 'Configuration of Tallystick', ...described } as JsonSchema
}

type Texts = ReadonlyMap<string, string>

/** Returns the meaning of each documented member. Objects without a row have the title of their section. */
function readTexts(markdown: string): Texts {
  const texts = new Map<string, string>()
  let section = ''
  for (const line of markdown.split('\n')) {
    section = /^## (.+)$/.exec(line)?.[1] ?? section
    const [, names = '', meaning = ''] = /^\| (`.+?) \|.*?\| (.*) \|$/.exec(line) ?? []
    for (const [, name = ''] of names.matchAll(/`([^`]+)`/g)) {
      texts.set(name, toPlainText(meaning))
      const [parent = ''] = name.split(/\.|\[\]/)
      if (!texts.has(parent)) texts.set(parent, toPlainText(section))
    }
  }
  return texts
}

/** Removes the marks of Markdown. A link stays as its text. */
function toPlainText(markdown: string): string {
  const text = markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type Place = { readonly path: string; readonly texts: Texts; readonly inherited?: string | undefined }

/** Adds a description to every member. One without a row of its own has that of the object around it. */
function describeMembers(schema: JsonSchema, { path, texts, inherited }: Place): JsonSchema {
  const walk = (inner: JsonSchema) => describeMembers(inner, { path, texts, inherited })
  const properties = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const memberPath = path === '' ? name : `${path}.${name}`
    const description = texts.get(memberPath) ?? inherited
    const described = describeMembers(member, { path: memberPath, texts, inherited: description })
    return [name, { ...(description !== undefined && { description }), ...described }] as const
  })
  return {
    ...schema,
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
    ...(schema.items && { items: describeMembers(schema.items, { path: `${path}[]`, texts, inherited }) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(walk) }),
    ...(schema.oneOf && { oneOf: schema.oneOf.map(walk) }),
  }
}
