import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { buildConfigSchema } from '../packages/service/scripts/build-config-schema.ts'

const text = readFileSync(new URL('../packages/service/config.schema.json', import.meta.url), 'utf8')

type JsonSchema = { readonly [key: string]: unknown }

function listUndescribed(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key !== 'properties') return listUndescribed(value, path)
    return Object.entries(value as Record<string, JsonSchema>).flatMap(([name, member]) => [
      // Members of a condition, such as "one of these is required", are described where they are declared.
      ...(member['description'] || !member['type'] ? [] : [`${path}.${name}`]),
      ...listUndescribed(member, `${path}.${name}`),
    ])
  })
}

test('default: packages/service/config.schema.json is current', () => {
  expect(JSON.parse(text), 'The configuration or its documentation changed: run `npm run config-schema`').toEqual(
    JSON.parse(JSON.stringify(buildConfigSchema())),
  )
})

test('default: every member has a description', () => {
  expect(text.match(/"description"/g)?.length).toBeGreaterThan(80)
  expect(listUndescribed(JSON.parse(text), '')).toEqual([])
})
