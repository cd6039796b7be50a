import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installCompiler } from './install-compiler.ts'
import { manifestFolder } from './manifest-folder.ts'

/** The part of the compiler's interface in use. Its own declarations import its sources, which are not TypeScript. */
type Compiler = {
  readonly ready: Promise<void>
  main(
    argv: readonly string[],
    options: {
      readonly stdout: OutputStream
      readonly stderr: OutputStream
      writeFile(name: string, contents: string | Uint8Array): void
    },
    callback: (error: Error | null) => number,
  ): void
}

type OutputStream = { write(text: string | Uint8Array): void }

/** Flags of graph-cli. */
export const compilerFlags: readonly string[] = [
  '--explicitStart',
  '--exportRuntime',
  '--runtime',
  'stub',
  '--optimize',
  '--debug',
]

const mapping = fileURLToPath(new URL('../src/mapping.ts', import.meta.url))
const globals = join('@graphprotocol', 'graph-ts', 'global', 'global.ts')
const outputFile = 'mapping.wasm'

/**
 * Compiles `src/mapping.ts` to WebAssembly, with the compiler and the arguments of graph-cli. The build compares the result
 * with that of graph-cli.
 */
export async function compileMapping(): Promise<Uint8Array> {
  const load = await installCompiler()
  const asc: Compiler = load('assemblyscript/cli/asc')
  await asc.ready
  // Paths in the module, such as those of failed assertions, are relative to the folder of the manifest.
  const baseDir = manifestFolder
  const libraries = listLibraries(baseDir)
  const library = libraries.find((folder) => existsSync(join(folder, globals))) as string
  const output: { module?: Uint8Array } = {}
  const messages: string[] = []
  const stream = { write: (text: string | Uint8Array) => void messages.push(String(text)) }
  const inputFiles = [relative(baseDir, mapping), relative(baseDir, join(library, globals))]
  asc.main(
    [...compilerFlags, ...inputFiles, '--baseDir', baseDir, '--lib', libraries.join(','), '--outFile', outputFile],
    {
      stdout: stream,
      stderr: stream,
      writeFile: (name, contents) => {
        if (name === outputFile && typeof contents !== 'string') output.module = contents
      },
    },
    (error) => {
      if (error) throw new Error(`The mapping does not compile: ${error.message}\n${messages.join('')}`)
      return 0
    },
  )
  if (!output.module) throw new Error(`The compiler wrote no module.\n${messages.join('')}`)
  return output.module
}

/** Returns the `node_modules` of a folder and of those above it. */
function listLibraries(folder: string): readonly string[] {
  const parent = dirname(folder)
  const own = join(folder, 'node_modules')
  return [...(existsSync(own) ? [own] : []), ...(parent === folder ? [] : listLibraries(parent))]
}
