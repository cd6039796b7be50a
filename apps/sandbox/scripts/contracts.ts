import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { compileStandard, type SolidityOutput } from './solc.ts'

/** A file of TypeScript as it should stand in `src/generated`. */
export type GeneratedFile = { readonly name: string; readonly text: string }

export const contractNames = ['DollarToken', 'Pool', 'PositionToken'] as const

const require = createRequire(import.meta.url)
const contractsFolder = new URL('../contracts/', import.meta.url)

// The EVM is named because the compiler's default moves with its versions. The metadata trailer is left out because
// it hashes comments and paths, which are not part of what runs.
const settings = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
} as const

/** What the artifacts are made from: our sources, the settings, and the exact compiler and library. */
export function hashContractSources(): string {
  const versions = [versionOf('solc'), versionOf('@openzeppelin/contracts')]
  const parts = JSON.stringify([readSources(), settings, versions])
  return createHash('sha256').update(parts).digest('hex')
}

/** Compiles every contract. Throws with the compiler's own text, warnings included. */
export function compileContracts(): readonly GeneratedFile[] {
  const input = { language: 'Solidity', sources: readSources(), settings }
  const output = compileStandard(input, readImport)
  const faults = output.errors ?? []
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join('\n'))
  return [...contractNames.map((name) => formatArtifact(name, output)), formatSourcesHash()]
}

function readSources(): Readonly<Record<string, { readonly content: string }>> {
  const names = readdirSync(contractsFolder).filter((name) => name.endsWith('.sol'))
  const entries = names.sort().map((name) => [name, { content: readText(new URL(name, contractsFolder)) }] as const)
  return Object.fromEntries(entries)
}

function readImport(path: string): { readonly contents: string } | { readonly error: string } {
  try {
    return { contents: readText(require.resolve(path)) }
  } catch (error) {
    return { error: String(error) }
  }
}

function formatArtifact(name: (typeof contractNames)[number], output: SolidityOutput): GeneratedFile {
  const contract = output.contracts?.[`${name}.sol`]?.[name]
  if (!contract) throw new Error(`The compiler gave no ${name}.`)
  const variable = name.charAt(0).toLowerCase() + name.slice(1)
  const entries = contract.abi.map((entry) => `  ${JSON.stringify(entry)},\n`).join('')
  const text = [
    generatedNotice,
    `export const ${variable}Abi = [\n${entries}] as const\n`,
    `export const ${variable}Bytecode = '0x${contract.evm.bytecode.object}'\n`,
  ].join('\n')
  return { name: `${name.replace(/(?<=.)(?=[A-Z])/g, '-').toLowerCase()}.ts`, text }
}

function formatSourcesHash(): GeneratedFile {
  return {
    name: 'sources-hash.ts',
    text: `${generatedNotice}\nexport const sourcesHash = '${hashContractSources()}'\n`,
  }
}

function versionOf(packageName: string): string {
  return `${packageName}@${JSON.parse(readText(require.resolve(`${packageName}/package.json`))).version}`
}

// Line ends are evened out so that a checkout with CRLF is not taken for a change.
function readText(path: string | URL): string {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
}

const generatedNotice = '// Written by `npm run compile -w apps/sandbox` from apps/sandbox/contracts.\n'
