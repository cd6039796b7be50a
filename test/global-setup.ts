import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { buildPortal } from '../apps/portal/scripts/build-portal.ts'
import { startPostgres } from '../packages/workbench/src/postgres.ts'
import { createPgliteTemplate, type DatabaseSource } from '../packages/workbench/src/test-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    databases: DatabaseSource
  }
}

export default async function setup(project: TestProject) {
  // Tests that start processes run what is built: that starts faster than the sources do.
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { stdio: 'inherit' })
  await buildPortal(fileURLToPath(new URL('../', import.meta.url)))
  const [postgres, pgliteTemplate] = await Promise.all([startPostgres(), createPgliteTemplate()])
  project.provide('databases', { postgresUrl: postgres.url('postgres'), pgliteTemplate })
  return async () => {
    await postgres.stop()
    await rm(pgliteTemplate, { recursive: true, force: true })
  }
}
