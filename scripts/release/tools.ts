import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { env, execPath, platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { installPackages } from '../../packages/workbench/src/install-packages.ts'
import { cleanEnvironment } from '../clean-environment.ts'

/** Folder of the programs that only a release needs, with a lock file of its own. */
export const toolsFolder = fileURLToPath(new URL('tools/', import.meta.url))

export type Run = {
  readonly cwd: string
  readonly input?: string
  readonly variables?: Readonly<Record<string, string>>
}

/** Runs a program to its end and returns what it prints. Its errors go to the terminal. */
export function run([file, ...args]: readonly [string, ...string[]], { cwd, input, variables }: Run): string {
  return execFileSync(file, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    // On Windows, npm is a script.
    shell: file === 'npm' && platform === 'win32',
    env: { ...cleanEnvironment(env, dirname(execPath)), ...variables },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'inherit'],
    ...(input === undefined ? {} : { input }),
  })
}

/** Installs the tools of a release, unless they are there. */
export async function installTools(): Promise<void> {
  await installPackages(toolsFolder)
}

/** Path of a program of the tools. */
export const toolPath = (path: string): string => join(toolsFolder, path)
