import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type ChainDescription, readChainDescription } from './chain-description.ts'
import { checkGeneratedTypes } from './generated-types.ts'
import { installGraphCli, runGraphCli } from './graph-cli.ts'
import { readMappingModule } from './mapping-module.ts'
import { writeManifest } from './write-manifest.ts'

// Builds what graph-cli uploads, for each chain of `chains`, or of the files given by `--chain`.

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const say = (line: string) => process.stdout.write(`${line}\n`)

try {
  const chains = listDescriptions().map(readChainDescription)
  await installGraphCli()
  checkGeneratedTypes()
  for (const chain of chains) buildChain(chain)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

function listDescriptions(): readonly string[] {
  const { values } = parseArgs({ options: { chain: { type: 'string', multiple: true } } })
  // npm starts scripts in the folder of the package. A path on the command line is relative to the caller's folder.
  // biome-ignore lint/style/noProcessEnv: npm gives that folder in a variable only.
  if (values.chain) return values.chain.map((path) => resolve(env['INIT_CWD'] ?? '.', path))
  const folder = join(packageFolder, 'chains')
  return readdirSync(folder).map((name) => join(folder, name))
}

function buildChain(chain: ChainDescription): void {
  const output = join(packageFolder, 'build', String(chain.chainId))
  rmSync(output, { recursive: true, force: true })
  const manifest = writeManifest(chain)
  runGraphCli(['build', manifest, '--output-dir', output, '--skip-migrations'])
  if (!readFileSync(join(output, 'Pool', 'Pool.wasm')).equals(readMappingModule())) {
    throw new Error(
      `graph-cli compiled another module for chain ${chain.chainId} than the one that is tested, src/generated/mapping.wasm. Run \`npm run compile -w @tallystick/graph\` and commit it.`,
    )
  }
  say(`chain ${chain.chainId} (${chain.network}), manifest ${relative(packageFolder, manifest)}:`)
  for (const name of readdirSync(output, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(output, name)
    const file = statSync(path)
    if (file.isFile()) say(`  ${relative(packageFolder, path)}  ${file.size} bytes`)
  }
}
