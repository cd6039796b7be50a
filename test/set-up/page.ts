import type { TestProject } from 'vitest/node'
import { launchBrowserServer } from '../../apps/portal/test/launch-browser.ts'
import { serveOnDemand } from './on-demand.ts'
import { startSandbox } from './start-sandbox.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Returns a `SharedPlace` as JSON. The first request starts the browser and the sandbox. */
    sharedPageUrl: string
  }
}

/** Address of the browser and directory of the sandbox, or why there is no browser. */
export type SharedPlace =
  | { readonly endpoint: string; readonly dir: string }
  | { readonly endpoint: undefined; readonly reason: string }

/** Provides one browser and one sandbox with two chains for all tests of the page. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await serveOnDemand(async () => {
    const launched = await launchBrowserServer()
    if (!launched.browser) {
      return { description: describe({ endpoint: undefined, reason: launched.reason }), stop: async () => undefined }
    }
    const { browser } = launched
    // At a boundary the page replaces its notes, so this is far from one.
    const sandbox = await startSandbox('--chains', '2', '--positions', '24', '--at', '2026-11-13T12:00:00-05:00')
    return {
      description: describe({ endpoint: browser.wsEndpoint(), dir: sandbox.dir }),
      stop: async () => {
        await Promise.all([browser.close(), sandbox.stop()])
      },
    }
  })
  project.provide('sharedPageUrl', url)
  return stop
}

function describe(place: SharedPlace): string {
  return JSON.stringify(place)
}
