import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { patience } from './packages/workbench/src/patience.ts'
import { quickFlags } from './packages/workbench/src/quick-flags.ts'
import { skippedReporter } from './test/set-up/report-skipped.ts'
import { createTemporaryDirectory } from './test/set-up/temporary-directory.ts'

// An unusual time zone by default, so that no test depends on the host's. Run with TZ=UTC to check that one too.
process.env['TZ'] ??= 'Asia/Singapore'
process.env['TMPDIR'] = createTemporaryDirectory()
// Each Node process would parse these certificates, which takes 70 ms. The tests trust only their own.
delete process.env['NODE_EXTRA_CA_CERTS']

const build = 'test/set-up/build.ts'
const databases = 'test/set-up/databases.ts'

const projects: readonly NonNullable<TestProjectInlineConfiguration['test']>[] = [
  {
    name: 'unit',
    include: ['{packages,apps}/*/src/**/*.test.ts', '{bench,soak,test}/**/*.test.ts'],
  },
  {
    name: 'service',
    include: ['packages/*/test/**/*.test.ts', 'apps/api/test/**/*.test.ts'],
    globalSetup: [build, databases],
  },
  {
    name: 'processes',
    include: ['apps/sandbox/test/**/*.test.ts'],
    globalSetup: [build, databases, 'test/set-up/processes.ts'],
  },
  {
    name: 'browser',
    include: ['apps/portal/test/**/*.test.ts'],
    globalSetup: [build, 'test/set-up/page.ts'],
  },
]

export default defineConfig({
  // Tests import the sources of a package: its `src` export condition points at them.
  resolve: { conditions: ['src'] },
  ssr: { resolve: { conditions: ['src'], externalConditions: ['src'] } },
  test: {
    projects: projects.map((test) => ({ extends: true as const, test })),
    reporters: ['default', skippedReporter],
    // No module keeps state or starts work when it is imported, so the files of a worker share one module graph.
    isolate: false,
    execArgv: [...quickFlags, '--always-sparkplug'],
    // One more than the two cores of a small machine: a test waits for other processes a quarter of its time.
    maxWorkers: 3,
    // These only end what hangs: a loaded machine may be many times slower. No test has a limit of its own.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { requireAssertions: true, poll: patience },
  },
})
