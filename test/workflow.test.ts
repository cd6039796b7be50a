import { accessSync, constants, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

type Step = { readonly uses?: string; readonly run?: string; readonly if?: string; readonly with?: object }
type Workflow = {
  readonly on: object
  readonly jobs: {
    readonly check: {
      readonly 'runs-on': string
      readonly strategy: { readonly matrix: { readonly include: readonly { readonly runner: string }[] } }
      readonly steps: readonly Step[]
    }
  }
}

// The YAML parser of the OpenAPI tools. It has no types.
const { load } = createRequire(import.meta.url)('js-yaml') as { readonly load: (text: string) => unknown }
const workflow = load(readFileSync(new URL('../.github/workflows/ci.yml', import.meta.url), 'utf8')) as Workflow
const { check } = workflow.jobs

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
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const setup = check.steps.find(({ uses }) => uses?.startsWith('actions/setup-node@'))
  expect(setup?.with).toMatchObject({ 'node-version': engines.node.replace('>=', '') })
})
