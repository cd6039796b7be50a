import type { TestProject } from 'vitest/node'
import { launchBrowserServer } from '../../packages/ui/test/launch-browser.ts'
import { serveOnDemand } from './on-demand.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Returns a `SharedBrowser` as JSON. The first request starts the browser. */
    sharedBrowserUrl: string
  }
}

/** Address of the browser, or why there is none. */
export type SharedBrowser = { readonly endpoint: string } | { readonly endpoint: undefined; readonly reason: string }

/** Provides one browser for all tests. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await serveOnDemand(async () => {
    const launched = await launchBrowserServer()
    const shared: SharedBrowser = launched.browser
      ? { endpoint: launched.browser.wsEndpoint() }
      : { endpoint: undefined, reason: launched.reason }
    return { description: JSON.stringify(shared), stop: async () => launched.browser?.close() }
  })
  project.provide('sharedBrowserUrl', url)
  return stop
}
