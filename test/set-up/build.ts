import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { buildPortal } from '../../scripts/build-portal.ts'
import { oncePerRun } from './once-per-run.ts'

/** Builds the sources and the page if they are not up to date. Tests that start processes run the built files. */
export default async function setUp(): Promise<void> {
  await oncePerRun('build', async () => {
    const root = fileURLToPath(new URL('../../', import.meta.url))
    execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { cwd: root, stdio: 'inherit' })
    execFileSync(process.execPath, ['scripts/bundle.mjs'], { cwd: root, stdio: 'inherit' })
    await buildPortal(root)
  })
}
