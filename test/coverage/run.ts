import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = fileURLToPath(new URL('v8/', import.meta.url))
const provider = `${folder}node_modules/@vitest/coverage-v8`

install()
// By its path: Vitest looks for a provider of this name in the repository's own node_modules.
const settings = {
  enabled: 'true',
  provider: 'custom',
  customProviderModule: `${provider}/dist/index.js`,
  include: '{packages,apps}/*/src/**/*.{ts,tsx}',
  exclude: '**/generated/**',
  // A report without a threshold. It is also written if a test fails.
  reportOnFailure: 'true',
}
const options = Object.entries(settings).map(([name, value]) => `--coverage.${name}=${value}`)
const reporters = ['text-summary', 'json-summary', 'html'].map((name) => `--coverage.reporter=${name}`)
run(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', ...options, ...reporters, ...process.argv.slice(2)],
  root,
)

/** Installs the provider in its own folder, unless the version of its package.json is there. */
function install(): void {
  const { dependencies } = readJson(`${folder}package.json`)
  const installed = `${provider}/package.json`
  if (existsSync(installed) && readJson(installed).version === dependencies['@vitest/coverage-v8']) return
  console.log('Installing @vitest/coverage-v8 in test/coverage/v8 (29 packages, 8 MB), once.')
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
}

/** Runs a command. Ends this process if it fails. */
function run(command: string, parameters: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, parameters, { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function readJson(path: string): { readonly version: string; readonly dependencies: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(path, 'utf8'))
}
