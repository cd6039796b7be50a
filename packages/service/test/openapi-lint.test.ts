// @module-tag slow

import { fileURLToPath } from 'node:url'
import { installPackages } from '@tallystick/workbench/install-packages'
import { beforeAll, expect, test } from 'vitest'
import { buildDocument } from '../src/openapi/build-document.ts'
import type { DocumentChains } from '../src/routing/document.ts'
import { documentedRoutes } from './documented-routes.ts'

/** The part of the linter in use. Its package is installed on demand. */
type Linter = {
  createConfig(config: object): Promise<object>
  lintFromString(options: { readonly source: string; readonly config: object }): Promise<readonly Problem[]>
}

type Problem = {
  readonly ruleId: string
  readonly message: string
  readonly location: readonly { readonly pointer?: string }[]
}

const contexts: readonly [string, DocumentChains][] = [
  ['one chain', { chainIds: [324], dataChainIds: [324], subgraphChainIds: [324] }],
  ['two chains', { chainIds: [10, 324], dataChainIds: [10, 324], subgraphChainIds: [324] }],
  ['no subgraph', { chainIds: [1], dataChainIds: [], subgraphChainIds: [] }],
]

// All rules of the linter except those that contradict the specification of this API or are a matter of taste.
const rules = {
  // DESIGN.md defines the error body, not RFC 7807. SPEC.md defines the paths.
  'operation-4xx-problem-details-rfc7807': 'off',
  'path-segment-plural': 'off',
  // One response is HTML.
  'response-mime-type': 'off',
  // Tags are in order of importance.
  'tags-alphabetical': 'off',
  // Strings have a pattern if their length matters.
  'required-string-property-missing-min-length': 'off',
} as const

let linter: Linter
beforeAll(async () => {
  const load = await installPackages(fileURLToPath(new URL('openapi-tools', import.meta.url)))
  linter = load('@redocly/openapi-core')
})

async function lint(source: string) {
  const config = await linter.createConfig({ extends: ['all'], rules })
  const problems = await linter.lintFromString({ source, config })
  return problems.map(({ ruleId, message, location }) => `${location[0]?.pointer} ${ruleId}: ${message}`)
}

test.each(contexts)('default: the linter finds no problems, %s', async (_, context) => {
  expect(await lint(JSON.stringify(buildDocument(context, documentedRoutes)))).toEqual([])
})
