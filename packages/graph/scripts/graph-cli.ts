import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { installPackages } from '@tallystick/workbench/install-packages'
import { installCompiler } from './install-compiler.ts'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const folder = join(packageFolder, 'graph-cli')

/** Installs graph-cli in its own folder, unless it is there, and the library that it compiles with. Decision 0046. */
export async function installGraphCli(): Promise<void> {
  await installCompiler()
  await installPackages(folder)
}

/** Runs a command of graph-cli in `packages/graph`. Throws an error with its output if it fails. */
export function runGraphCli(args: readonly string[]): void {
  const program = join(folder, 'node_modules/@graphprotocol/graph-cli/bin/run.js')
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [program, ...args], {
    cwd: packageFolder,
    encoding: 'utf8',
    // graph-cli requests the list of its versions from the registry otherwise.
    env: { ...env, GRAPH_SKIP_NEW_VERSION_CHECK: 'true' },
  })
  if (error) throw error
  if (status !== 0) throw new Error(`graph-cli ${args.join(' ')} failed:\n${stdout}${stderr}`)
}
