import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const folder = join(packageFolder, 'graph-cli')
const installed = join(folder, 'node_modules', '@graphprotocol', 'graph-cli')

/** Installs graph-cli in its own folder, unless the version of its package.json is there. Decision 0046. */
export function installGraphCli(say: (line: string) => void): void {
  const { dependencies } = readJson(join(folder, 'package.json')) as { dependencies: Record<string, string> }
  const wanted = dependencies['@graphprotocol/graph-cli']
  const found = existsSync(installed) ? (readJson(join(installed, 'package.json')) as { version: string }).version : ''
  if (found === wanted) return
  say(`Installing @graphprotocol/graph-cli ${wanted} in packages/graph/graph-cli (480 packages, 165 MB), once.`)
  // None of its packages has an install script now. One that appears must not run unseen.
  run({ command: 'npm', args: ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], cwd: folder })
}

/** Runs a command of graph-cli in `packages/graph`. Throws an error with its output if it fails. */
export function runGraphCli(args: readonly string[]): void {
  run({ command: process.execPath, args: [join(installed, 'bin', 'run.js'), ...args], cwd: packageFolder })
}

type Command = { readonly command: string; readonly args: readonly string[]; readonly cwd: string }

function run({ command, args, cwd }: Command): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    // On Windows, npm is a script.
    shell: command === 'npm' && process.platform === 'win32',
    // graph-cli requests the list of its versions from the registry otherwise.
    env: { ...env, GRAPH_SKIP_NEW_VERSION_CHECK: 'true' },
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`)
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
