import type { TestProject } from 'vitest/node'
import { serveOnDemand } from './on-demand.ts'
import { startSandbox } from './start-sandbox.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Returns the directory of the shared sandbox. The first request starts it. */
    sharedSandboxUrl: string
  }
}

/** Provides one sandbox for all tests that only read from it. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await serveOnDemand(async () => {
    const sandbox = await startSandbox()
    return { description: sandbox.dir, stop: sandbox.stop }
  })
  project.provide('sharedSandboxUrl', url)
  return stop
}
