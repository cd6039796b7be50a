import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { buildPortal } from '../apps/portal/scripts/build-portal.ts'
import { findPgliteTemplate } from '../packages/workbench/src/pglite-template.ts'
import { startPostgres } from '../packages/workbench/src/postgres.ts'
import type { DatabaseSource } from '../packages/workbench/src/test-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    databases: DatabaseSource
  }
}

export default async function setup(project: TestProject) {
  // Tests that start processes run what is built: that starts faster than the sources do.
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { stdio: 'inherit' })
  await buildPortal(fileURLToPath(new URL('../', import.meta.url)))
  const [postgres, pgliteTemplate] = await Promise.all([startPostgres(), findPgliteTemplate()])
  project.provide('databases', { postgresUrl: postgres.url('postgres'), pgliteTemplate })
  return () => postgres.stop()
}
