import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages } from '@tallystick/workbench/install-packages'
import { findTarget, type Target } from './targets.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = fileURLToPath(new URL('stryker/', import.meta.url))
const modules = join(folder, 'node_modules', '@stryker-mutator')
const reports = join(root, 'test/mutation/reports')

const paths = process.argv.slice(2)
if (paths.length === 0) throw new Error('Give a path, such as `npm run mutate -- packages/core/src/income`.')
const chosen = paths.map(findTarget)
await installPackages(folder)
process.exitCode = chosen.map(mutate).some((status) => status !== 0) ? 1 : 0

/** Mutates a target and prints its table. A later run repeats only the mutants whose source or tests changed. */
function mutate({ name, mutate: sources, tests }: Target): number | null {
  const slug = name.replaceAll(/[^\w]+/g, '-')
  mkdirSync(reports, { recursive: true })
  const config = join(reports, `${slug}.config.json`)
  const settings = {
    mutate: [...sources.map((glob) => (glob.endsWith('.ts') ? glob : `${glob}/*.ts`)), '!**/*.test.ts', '!**/index.ts'],
    testRunner: 'vitest',
    plugins: [join(modules, 'vitest-runner/dist/src/index.js')],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    // A mutant of a constant that a module computes once would need a new process each.
    ignoreStatic: true,
    incremental: true,
    incrementalFile: join(reports, `${slug}.json`),
    reporters: ['clear-text', 'progress', 'html'],
    htmlReporter: { fileName: join(reports, `${slug}.html`) },
    clearTextReporter: { reportTests: false, logTests: false },
    // Stryker rewrites it with the interface of TypeScript 6, which TypeScript 7 does not have.
    tsconfigFile: 'none.json',
  }
  writeFileSync(config, JSON.stringify(settings))
  const env = { ...process.env, TALLYSTICK_MUTATION_TESTS: JSON.stringify(tests) }
  console.log(`Mutating ${name}`)
  return spawnSync(process.execPath, [join(modules, 'core/bin/stryker.js'), 'run', config], {
    cwd: root,
    env,
    stdio: 'inherit',
  }).status
}
