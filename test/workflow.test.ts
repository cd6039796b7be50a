import { accessSync, constants, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { supportedVersions } from './node-versions/supported-versions.ts'

type Step = { readonly uses?: string; readonly run?: string; readonly if?: string; readonly with?: object }
type Job<Matrix> = {
  readonly 'runs-on': string
  readonly strategy: { readonly 'fail-fast': boolean; readonly matrix: Matrix }
  readonly steps: readonly Step[]
}
type Workflow = {
  readonly on: object
  readonly jobs: {
    readonly check: Job<{ readonly include: readonly { readonly runner: string }[] }>
    readonly 'node-versions': Job<{ readonly node: readonly string[] }>
  }
}

// The YAML parser of the OpenAPI tools. It has no types.
const { load } = createRequire(import.meta.url)('js-yaml') as { readonly load: (text: string) => unknown }
const workflow = load(readFileSync(new URL('../.github/workflows/ci.yml', import.meta.url), 'utf8')) as Workflow
const { check, 'node-versions': nodeVersions } = workflow.jobs

test('default: CI runs .ci/run on Linux x64, Linux arm64 and macOS', () => {
  expect(check['runs-on']).toMatch(/^\$\{\{ matrix\.runner \}\}$/)
  expect(check.strategy.matrix.include.map(({ runner }) => runner)).toEqual([
    'ubuntu-latest',
    'ubuntu-24.04-arm',
    'macos-latest',
  ])
  expect(check.steps.at(-1)).toEqual({ name: 'Lint, types and tests', run: '.ci/run' })
  accessSync(new URL('../.ci/run', import.meta.url), constants.X_OK)
})

test('default: CI runs for pull requests and for main', () => {
  expect(workflow.on).toEqual({ push: { branches: ['main'] }, pull_request: null })
})

test('behavior: CI uses the lowest supported version of Node', () => {
  expect(findSetUp(check)?.with).toMatchObject({ 'node-version': lowestVersion() })
})

test('default: CI runs `npm test` on the versions of `npm run test:node-versions`', () => {
  expect(nodeVersions.strategy).toEqual({ 'fail-fast': false, matrix: { node: supportedVersions } })
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow.
  expect(findSetUp(nodeVersions)?.with).toMatchObject({ 'node-version': '${{ matrix.node }}' })
  expect(nodeVersions.steps.flatMap(({ run }) => run ?? [])).toEqual(['npm ci', 'npm test'])
  expect(supportedVersions[0]).toBe(`${lowestVersion()}.0`)
})

function findSetUp({ steps }: { readonly steps: readonly Step[] }): Step | undefined {
  return steps.find(({ uses }) => uses?.startsWith('actions/setup-node@'))
}

function lowestVersion(): string {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return engines.node.replace('>=', '')
}
