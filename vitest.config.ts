import { defineConfig } from 'vitest/config'

// An odd zone by default, so that no test leans on the host's (run with TZ=UTC to see it pass there too).
process.env['TZ'] ??= 'Asia/Singapore'

export default defineConfig({
  // The packages run unbuilt: their `src` export condition points at the TypeScript.
  resolve: { conditions: ['src'] },
  ssr: { resolve: { conditions: ['src'], externalConditions: ['src'] } },
  test: {
    include: ['{packages,apps}/*/{src,test}/**/*.test.ts', '{bench,soak,test}/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // Two cores: more workers than that only make each other late.
    maxWorkers: 2,
    // These are for what never happens: on a machine that does many things at once the rest may take its time.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { requireAssertions: true, poll: { timeout: 20_000 } },
  },
})
