import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages } from '@tallystick/workbench/install-packages'

/** Folder with the compiler's package.json and lock file. */
export const compilerFolder: string = fileURLToPath(new URL('../compiler', import.meta.url))

// The module has the path of the library in the names of its functions, so the library must always have the same path.
const library = fileURLToPath(new URL('../../../node_modules/@graphprotocol/graph-ts', import.meta.url))

/** Installs the compiler, unless it is there, and links its library to the place where graph-cli looks for it. */
export async function installCompiler(): Promise<NodeJS.Require> {
  const load = await installPackages(compilerFolder)
  mkdirSync(dirname(library), { recursive: true })
  rmSync(library, { recursive: true, force: true })
  // On Windows, only a junction needs no privilege.
  symlinkSync(join(compilerFolder, 'node_modules/@graphprotocol/graph-ts'), library, 'junction')
  return load
}
