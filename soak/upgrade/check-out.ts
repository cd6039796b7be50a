import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ownCheckout } from '../environment/service-process.ts'

const run = promisify(execFile)

/** Installed release of a commit. */
export type Checkout = { readonly directory: string; readonly name: string }

/** Reads the name of the release in a directory, such as `0.1.0 (5838b3d)`. */
export function nameRelease(directory: string, commit: string): string {
  const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version: string }
  return `${version} (${commit})`
}

export async function readCommit(ref: string): Promise<string> {
  const args = ['rev-parse', '--short', '--verify', '--end-of-options', `${ref}^{commit}`]
  const { stdout } = await run('git', args, { cwd: ownCheckout })
  return stdout.trim()
}

/** Writes the files of a ref to a new directory and installs its packages. The repository is not changed. */
export async function checkOut(ref: string, { directory }: { readonly directory: string }): Promise<Checkout> {
  const commit = await readCommit(ref)
  mkdirSync(directory)
  const archive = join(directory, 'checkout.tar')
  await run('git', ['archive', '--format=tar', '-o', archive, commit], { cwd: ownCheckout })
  await run('tar', ['-xf', archive], { cwd: directory })
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory })
  // The replicas run from the sources, but their worker threads from the bundles.
  await run('npm', ['run', 'compile'], { cwd: directory })
  return { directory, name: nameRelease(directory, commit) }
}
