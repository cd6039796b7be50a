import { fileURLToPath } from 'node:url'
import { installPackages, linkPackage } from '@tallystick/workbench/install-packages'

/** Folder with the compiler's package.json and lock file. */
export const compilerFolder: string = fileURLToPath(new URL('../compiler', import.meta.url))

/**
 * Installs the compiler, unless it is there, and links its library to the place where graph-cli looks for it. The module
 * has the path of the library in the names of its functions.
 */
export async function installCompiler(): Promise<NodeJS.Require> {
  const load = await installPackages(compilerFolder)
  await linkPackage(compilerFolder, '@graphprotocol/graph-ts')
  return load
}
