import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { installPackages } from '@tallystick/workbench/install-packages'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { resolve } = await installPackages(fileURLToPath(new URL('v8/', import.meta.url)))
// By its path: Vitest looks for a provider of this name in the repository's own node_modules.
const settings = {
  enabled: 'true',
  provider: 'custom',
  customProviderModule: resolve('@vitest/coverage-v8'),
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

/** Runs a command. Ends this process if it fails. */
function run(command: string, parameters: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, parameters, { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
