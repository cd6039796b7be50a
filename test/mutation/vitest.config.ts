import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

process.env['TZ'] ??= 'Asia/Singapore'

const tests: readonly string[] = JSON.parse(process.env['TALLYSTICK_MUTATION_TESTS'] ?? '[]')

// Stryker runs one Vitest per worker of its own, in threads, and starts it again for each mutant.
export default defineConfig({
  resolve: {
    conditions: ['src'],
    // PGlite would start again for each mutant.
    alias: { '@tallystick/workbench/test-database': fileURLToPath(new URL('only-postgres.ts', import.meta.url)) },
  },
  ssr: { resolve: { conditions: ['src'], externalConditions: ['src'] } },
  test: {
    include: tests.map((glob) => (glob.endsWith('.test.ts') ? glob : `${glob}/*.test.ts`)),
    globalSetup: tests.some((glob) => glob.includes('/test/')) ? ['test/set-up/databases.ts'] : [],
    isolate: false,
    expect: { requireAssertions: true },
    tags: [{ name: 'slow', skip: true }, { name: 'postgres' }, { name: 'server' }],
  },
})
