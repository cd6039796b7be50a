import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { shortRunFlags } from './packages/workbench/src/short-run-flags.ts'
import { waitOptions } from './packages/workbench/src/wait-options.ts'
import { hangMs, hookHangMs } from './test/set-up/limits.ts'
import { findMissingPostgres } from './test/set-up/missing-postgres.ts'
import { createRunningReporter } from './test/set-up/report-running.ts'
import { createSkippedReporter } from './test/set-up/report-skipped.ts'
import { createTemporaryDirectory } from './test/set-up/temporary-directory.ts'

// An unusual time zone by default, so that no test depends on the host's. Run with TZ=UTC to check that one too.
process.env['TZ'] ??= 'Asia/Singapore'
process.env['TMPDIR'] = createTemporaryDirectory()
// Each Node process would parse these certificates, which takes 70 ms. The tests trust only their own.
delete process.env['NODE_EXTRA_CA_CERTS']

const projects: readonly NonNullable<TestProjectInlineConfiguration['test']>[] = [
  {
    name: 'unit',
    include: ['{packages,apps}/*/src/**/*.test.ts', '{bench,scripts,soak,test}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '{bench,soak,test/node-versions,test/release}/test/**'],
    setupFiles: ['test/set-up/pure.ts'],
  },
  {
    // One project for all tests with real parts: the workers of a project import its modules once.
    name: 'service',
    include: ['{packages/*,apps/*,bench,soak,test/node-versions}/test/**/*.test.ts'],
    setupFiles: ['test/set-up/release-memory.ts'],
    globalSetup: ['build', 'databases', 'processes', 'browser', 'page'].map((name) => `test/set-up/${name}.ts`),
  },
  {
    // After the others: each of its files keeps the whole machine busy.
    name: 'release',
    include: ['test/release/test/**/*.test.ts'],
    globalSetup: ['build', 'databases'].map((name) => `test/set-up/${name}.ts`),
    sequence: { groupOrder: 1 },
  },
]

/** What all projects share. They do not extend the root configuration: its `maxWorkers` would override `--maxWorkers`. */
const shared: TestProjectInlineConfiguration = {
  // Tests import the sources of a package: its `src` export condition points at them.
  resolve: { conditions: ['src'] },
  ssr: { resolve: { conditions: ['src'], externalConditions: ['src'] } },
}

const missingPostgres = await findMissingPostgres()

const tags = [
  { name: 'slow', description: 'Runs with `npm run test:all` only.' },
  {
    name: 'postgres',
    description: 'Talks to PostgreSQL. `npm run test:database` runs these.',
    skip: missingPostgres !== undefined,
  },
  {
    name: 'server',
    description: 'Opens the database beside the service, which the embedded one does not allow.',
    skip: missingPostgres !== undefined,
  },
]

const sharedTest: TestProjectInlineConfiguration['test'] = {
  // No module keeps state or starts work when it is imported, so the files of a worker share one module graph.
  isolate: false,
  execArgv: [...shortRunFlags, '--always-sparkplug'],
  testTimeout: hangMs,
  hookTimeout: hookHangMs,
  expect: { requireAssertions: true, poll: waitOptions },
  tags,
}

export default defineConfig({
  test: {
    projects: projects.map((test) => ({ ...shared, test: { ...sharedTest, ...test } })),
    reporters: ['default', createSkippedReporter({ missingPostgres }), createRunningReporter({ hangMs: hookHangMs })],
    // A test waits for other processes a quarter of its time.
    maxWorkers: availableParallelism() + 1,
    tags,
  },
})
