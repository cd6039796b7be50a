import type { TestProject } from 'vitest/node'
import { serveOnDemand } from './on-demand.ts'
import { startSandbox } from './start-sandbox.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Returns the directory of the sandbox of the page. The first request starts it. */
    sharedPageUrl: string
  }
}

/** Provides one sandbox with two chains for all tests of the page. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await serveOnDemand(async () => {
    // At a boundary the page replaces its notes, so this is far from one.
    const sandbox = await startSandbox('--chains', '2', '--positions', '24', '--at', '2026-11-13T12:00:00-05:00')
    return { description: sandbox.dir, stop: sandbox.stop }
  })
  project.provide('sharedPageUrl', url)
  return stop
}
