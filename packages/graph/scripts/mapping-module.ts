import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileMapping, compilerFlags } from './compile-mapping.ts'
import { compilerFolder } from './install-compiler.ts'

const sourcesFolder = new URL('../src/', import.meta.url)
const moduleFile = new URL('generated/mapping.wasm', sourcesFolder)
const hashFile = new URL('generated/sources-hash.txt', sourcesFolder)

/**
 * Reads the compiled mapping: the WebAssembly that graph-cli uploads. It is committed, because its optimization takes 10
 * seconds. Throws if it was compiled from other sources.
 */
export function readMappingModule(): Uint8Array {
  if (readFileSync(hashFile, 'utf8').trim() !== hashSources()) {
    throw new Error('packages/graph/src has changed. Run `npm run compile -w @tallystick/graph` and commit the result.')
  }
  return readFileSync(moduleFile)
}

/** Compiles the mapping and writes it. Returns the number of bytes. */
export async function writeMappingModule(): Promise<number> {
  const module = await compileMapping()
  writeFileSync(moduleFile, module)
  writeFileSync(hashFile, `${hashSources()}\n`)
  return module.length
}

/** Hashes everything that the module depends on: the sources, the flags, and the versions of compiler and library. */
function hashSources(): string {
  const names = readdirSync(sourcesFolder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts'))
    .sort()
  const sources = names.map((name) => [
    name,
    readFileSync(new URL(name, sourcesFolder), 'utf8').replaceAll('\r\n', '\n'),
  ])
  const { dependencies } = JSON.parse(readFileSync(join(compilerFolder, 'package.json'), 'utf8'))
  const versions = Object.fromEntries(
    ['@graphprotocol/graph-ts', 'assemblyscript'].map((name) => [name, dependencies[name]]),
  )
  return createHash('sha256')
    .update(JSON.stringify([sources, compilerFlags, versions]))
    .digest('hex')
}
