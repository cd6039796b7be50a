import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { configSchema } from '../packages/service/src/config/config-schema.ts'

type JsonSchema = {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly default?: unknown
}

const text = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8')
const rows = [...text.matchAll(/^\| (`.+?) \|(.*?)\| (.*) \|$/gm)].map(
  ([, names = '', fallback = '', meaning = '']) => ({
    names: [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string),
    fallback,
    meaning,
  }),
)
const documented = rows.flatMap((row) => row.names)

const sources = { path: 'tallystick.json', env: {}, secrets: 'optional', baseDirectory: '/' } as const
const schema = z.toJSONSchema(configSchema(sources), { io: 'input', unrepresentable: 'any' }) as JsonSchema
const members = listMembers(schema, '')

function listMembers(of: JsonSchema, path: string): { readonly path: string; readonly schema: JsonSchema }[] {
  const variants = [of, ...(of.anyOf ?? []), ...(of.oneOf ?? [])]
  const own = variants.flatMap(({ properties = {}, items }) => [
    ...Object.entries(properties).flatMap(([name, member]) => {
      const memberPath = path === '' ? name : `${path}.${name}`
      return [{ path: memberPath, schema: member }, ...listMembers(member, memberPath)]
    }),
    ...(items ? listMembers(items, `${path}[]`) : []),
  ])
  return own.filter((member, index) => own.findIndex((other) => other.path === member.path) === index)
}

/** Returns whether the member or one inside it has a row, or the row of an object around it names it or links to more. */
function isDocumented(path: string): boolean {
  const isInside = (inner: string, outer: string) => inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[]`)
  if (documented.some((name) => name === path || isInside(name, path))) return true
  const row = rows.find(({ names }) => names.some((name) => isInside(path, name)))
  const member = path.split('.').at(-1) as string
  return row !== undefined && (row.meaning.includes(member) || row.meaning.includes(']('))
}

test('default: every member of the configuration is documented', () => {
  expect(members.length).toBeGreaterThan(50)
  expect(members.map(({ path }) => path).filter((path) => !isDocumented(path))).toEqual([])
})

test('default: every documented member exists', () => {
  const paths = members.map(({ path }) => path)
  expect(documented.length).toBeGreaterThan(30)
  expect(documented.filter((name) => !paths.includes(name))).toEqual([])
})

test('default: every documented default is the one of the schema', () => {
  const wrong = members.flatMap(({ path, schema: { default: fallback } }) => {
    const row = rows.find(({ names }) => names.includes(path))
    if (!row || fallback === undefined || typeof fallback === 'object' || String(fallback).startsWith('https:'))
      return []
    return row.fallback.includes(String(fallback)) ? [] : [`${path}: ${fallback} is not in "${row.fallback}"`]
  })
  expect(wrong).toEqual([])
})
