import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readChainDescription } from './chain-description.ts'
import { runGraphCli } from './graph-cli.ts'
import { writeManifest } from './write-manifest.ts'

const generated = fileURLToPath(new URL('../src/generated', import.meta.url))
const files = ['Pool/Pool.ts', 'PositionToken/PositionToken.ts', 'Denylister/Denylister.ts', 'schema.ts']

/** Throws if the types in `src/generated` are not those of the schema and the events. */
export function checkGeneratedTypes(): void {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-graph-'))
  try {
    writeGeneratedTypes(folder)
    const stale = files.filter((file) => readText(join(folder, file)) !== readText(join(generated, file)))
    if (stale.length > 0) {
      throw new Error(
        `src/generated/${stale.join(', src/generated/')} must be generated again. Run \`npm run codegen -w @tallystick/graph\`, then \`npm run compile -w @tallystick/graph\`, and commit the result.`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes the AssemblyScript types of the schema and the events. They are the same for every chain with a denylister. */
export function writeGeneratedTypes(folder = generated): void {
  const chain = readChainDescription(fileURLToPath(new URL('../chains/8453.json', import.meta.url)))
  runGraphCli(['codegen', writeManifest(chain), '--output-dir', folder, '--skip-migrations'])
}

function readText(path: string): string {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
}
