import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { supportedVersions } from './node-versions/supported-versions.ts'

type Step = { readonly uses?: string; readonly run?: string; readonly with?: Readonly<Record<string, unknown>> }
type Job = {
  readonly 'runs-on': string
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly 'fail-fast'?: boolean; readonly matrix: Readonly<Record<string, unknown>> }
  readonly steps: readonly Step[]
}
type Workflow = { readonly on: object; readonly permissions: object; readonly jobs: Readonly<Record<string, Job>> }

const root = new URL('../', import.meta.url)
const folder = new URL('.github/workflows/', root)
// The YAML parser of the OpenAPI tools. It has no types.
const { load } = createRequire(import.meta.url)('js-yaml') as { readonly load: (text: string) => unknown }
const texts = new Map(readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]))
const workflows = new Map([...texts].map(([name, text]) => [name, load(text) as Workflow]))
const jobs = [...workflows.values()].flatMap((workflow) => Object.values(workflow.jobs))
const steps = jobs.flatMap((job) => job.steps)
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly engines: { readonly node: string }
  readonly scripts: Readonly<Record<string, string>>
}

const runners = ['ubuntu-latest', 'ubuntu-24.04-arm', 'macos-latest']
const lowestVersion = manifest.engines.node.replace('>=', '')

function getJob(workflow: string, name: string): Job {
  const job = workflows.get(`${workflow}.yml`)?.jobs[name]
  if (!job) throw new Error(`${workflow}.yml has no job "${name}".`)
  return job
}

function findSteps(action: string): Step[] {
  return steps.filter(({ uses }) => uses?.startsWith(`actions/${action}@`))
}

const runsOf = (job: Job) => job.steps.flatMap(({ run }) => run ?? [])

describe('ci', () => {
  const check = getJob('ci', 'check')
  const nodeVersions = getJob('ci', 'node-versions')

  test('default: CI runs .ci/run on Linux x64, Linux arm64 and macOS', () => {
    expect(check['runs-on']).toMatch(/^\$\{\{ matrix\.runner \}\}$/)
    expect(check.strategy?.matrix['include']).toMatchObject(runners.map((runner) => ({ runner })))
    expect(check.steps.at(-1)).toEqual({ name: 'Lint, types and tests', run: '.ci/run' })
  })

  test('default: CI runs for pull requests and for main', () => {
    expect(workflows.get('ci.yml')?.on).toEqual({ push: { branches: ['main'] }, pull_request: null })
  })

  test('default: CI runs `npm test` on the versions of `npm run test:node-versions`', () => {
    expect(nodeVersions.strategy).toEqual({ 'fail-fast': false, matrix: { node: supportedVersions } })
    expect(runsOf(nodeVersions)).toEqual(['npm ci', 'npm test'])
    expect(supportedVersions[0]).toBe(`${lowestVersion}.0`)
  })
})

test('default: the nightly run runs .ci/run with each Node version on each runner', () => {
  const nightly = getJob('nightly', 'test')
  expect(nightly.strategy).toEqual({ 'fail-fast': false, matrix: { runner: runners, node: supportedVersions } })
  expect(nightly.steps.at(-1)).toEqual({ name: 'Lint, types and all tests', run: '.ci/run' })
})

describe('every workflow', () => {
  test('default: there are three', () => {
    expect([...texts.keys()].sort()).toEqual(['ci.yml', 'nightly.yml', 'release.yml'])
  })

  test('behavior: an action has the hash of a commit and its version, the same everywhere', () => {
    const pins = [...texts.values()].flatMap((text) =>
      [...text.matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(([, pin = '']) => pin),
    )
    expect(pins).toHaveLength(steps.filter(({ uses }) => uses).length)
    expect(pins.filter((pin) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(pin))).toEqual([])
    const unique = [...new Set(pins)]
    expect(new Set(unique.map((pin) => pin.split('@')[0])).size).toBe(unique.length)
  })

  test('behavior: its token can read, and only the named jobs can write', () => {
    const permissions = [...workflows].map(([name, workflow]) => [name, workflow.permissions])
    expect(Object.fromEntries(permissions)).toEqual({
      'ci.yml': { contents: 'read' },
      'nightly.yml': { contents: 'read' },
      'release.yml': {},
    })
    const granted = [...workflows.values()].flatMap((workflow) =>
      Object.entries(workflow.jobs).flatMap(([name, job]) => (job.permissions ? [[name, job.permissions]] : [])),
    )
    expect(Object.fromEntries(granted)).toEqual({
      report: { issues: 'write' },
      build: { contents: 'read' },
      attest: { 'id-token': 'write', attestations: 'write' },
      publish: { contents: 'write' },
    })
    const checkouts = findSteps('checkout')
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([])
  })

  test('behavior: no script contains an expression, which could contain a command', () => {
    expect(steps.filter(({ run }) => run?.includes('$' + '{{'))).toEqual([])
  })

  test('behavior: it uses the lowest supported version of Node, or all of them', () => {
    const versions = new Set(findSteps('setup-node').map((step) => step.with?.['node-version']))
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow.
    expect([...versions].sort()).toEqual(['${{ matrix.node }}', lowestVersion, supportedVersions[0]])
  })

  test('behavior: the commands that it runs exist', () => {
    const scripts = readdirSync(new URL('.ci/', root)).map((name) => `.ci/${name}`)
    const commands = [...steps.flatMap(({ run }) => run ?? []), ...scripts.map(readText)].join('\n')
    const called = [...commands.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = '']) => name)
    expect(called).toEqual(expect.arrayContaining(['lint', 'soak', 'bench', 'bench:compare', 'coverage', 'release']))
    expect(called.filter((name) => !(name in manifest.scripts))).toEqual([])
    const started = commands.match(/(?<=^|\s)\.ci\/[\w-]+/g) ?? []
    expect(scripts).toEqual(expect.arrayContaining([...new Set(started)]))
    for (const script of scripts) accessSync(new URL(script, root), constants.X_OK)
    // .ci/install-chromium installs the browser of this version.
    const { packages } = JSON.parse(readText('package-lock.json'))
    expect(packages['node_modules/playwright-core'].version).toMatch(/^\d/)
  })
})

function readText(path: string): string {
  return readFileSync(new URL(path, root), 'utf8')
}
