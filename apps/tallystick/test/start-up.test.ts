import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const bundle = fileURLToPath(new URL('../dist/bundle/', import.meta.url))

/** Lists the files of the bundle that Node loads for one: itself and all that it imports statically. */
function listLoaded(path: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(path)) return loaded
  loaded.add(path)
  const imports = readFileSync(path, 'utf8').matchAll(/^(?:import|\} from|import .* from) ?"(\.{1,2}\/[^"]+)";$/gm)
  for (const [, name] of imports) listLoaded(join(dirname(path), name as string), loaded)
  return loaded
}

/** Lists the packages whose modules are in files of the bundle. */
function listPackages(paths: Iterable<string>): string[] {
  const modules = [...paths].flatMap((path) => [
    ...readFileSync(path, 'utf8').matchAll(/^\/\/ (?:node_modules\/((?:@[\w-]+\/)?[\w.-]+)|(packages\/[\w-]+))\//gm),
  ])
  return [...new Set(modules.map(([, external, own]) => external ?? (own as string)))].toSorted()
}

/** Returns the newest chunk of a name. Chunks of earlier builds stay for a day. */
function findChunk(name: string): string {
  const chunks = readdirSync(join(bundle, 'chunks')).filter((file) => file.startsWith(`${name}-`))
  const [newest = ''] = chunks
    .map((file) => join(bundle, 'chunks', file))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  return newest
}

// Decision 44 has the processor time. It follows from what is loaded, which does not depend on the machine.
describe('a command loads only what it needs', () => {
  test('default: --help, --version and completion load the declaration of the commands', () => {
    const loaded = listLoaded(join(bundle, 'cli.js'))
    expect(listPackages(loaded)).toEqual([
      'commander',
      'packages/base',
      'packages/core',
      'packages/keys',
      'packages/service',
    ])
    expect([...loaded].reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(300_000)
  })

  test('default: a command through the admin listener loads neither the schema of the configuration nor a database', () => {
    const loaded = listLoaded(findChunk('run-with-operator'))
    expect(listPackages(loaded)).toEqual(['packages/core', 'packages/service'])
  })
})
