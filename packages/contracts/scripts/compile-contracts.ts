import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { installPackages } from '@tallystick/workbench/install-packages'
import type { Abi } from 'viem'

type CompiledContract = { readonly abi: Abi; readonly bytecode: string }

/** Compiler output of the contracts. */
export type CompiledContracts = Readonly<Record<ContractName, CompiledContract>>

/** Contracts that are deployed, here or by a test. Each is in the file of its name. */
const contractNames = ['Denylister', 'DollarToken', 'OwnersWallet', 'Pool', 'PositionToken'] as const
type ContractName = (typeof contractNames)[number]

/** The compiler's standard JSON interface. */
type Solc = { compile(input: string, callbacks: { readonly import: ReadImport }): string }
type ReadImport = (path: string) => { readonly contents: string } | { readonly error: string }

/** Output of the compiler's standard JSON interface. */
type SolidityOutput = {
  readonly errors?: readonly { readonly formattedMessage: string }[]
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, SolidityContract>>>>
}

type SolidityContract = {
  readonly abi: readonly unknown[]
  readonly evm: { readonly bytecode: { readonly object: string } }
}

const compilerFolder = new URL('../compiler/', import.meta.url)
const sourcesFolder = new URL('../solidity/', import.meta.url)
// Not part of the protocol, and so not of its hash.
const testWallet = new URL('../solidity/test/OwnersWallet.sol', import.meta.url)

// The EVM version is fixed because the compiler's default changes between releases. The metadata trailer is omitted
// because it hashes comments and paths, which do not affect execution.
const settings = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
} as const

/** Hashes everything the protocol's artifacts depend on: the sources, the settings, and the compiler and library versions. */
export function hashContractSources(): string {
  const { dependencies } = JSON.parse(readText(new URL('package.json', compilerFolder)))
  const versions = ['solc', '@openzeppelin/contracts'].map((name) => `${name}@${dependencies[name]}`)
  const parts = JSON.stringify([readSources(), settings, versions])
  return createHash('sha256').update(parts).digest('hex')
}

/** Installs the compiler, unless it is there, and compiles every contract. Throws an error with its messages, warnings included. */
export async function compileContracts(): Promise<CompiledContracts> {
  const load = await installPackages(fileURLToPath(compilerFolder))
  const solc: Solc = load('solc')
  const readImport = (path: string) => readFound(() => readText(load.resolve(path)))
  const sources = { ...readSources(), 'OwnersWallet.sol': { content: readText(testWallet) } }
  const input = { language: 'Solidity', sources, settings }
  const output: SolidityOutput = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }))
  const errors = output.errors ?? []
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return Object.fromEntries(contractNames.map((name) => [name, contractOf(output, name)])) as CompiledContracts
}

function readSources(): Readonly<Record<string, { readonly content: string }>> {
  const names = readdirSync(sourcesFolder).filter((name) => name.endsWith('.sol'))
  const entries = names.sort().map((name) => [name, { content: readText(new URL(name, sourcesFolder)) }] as const)
  return Object.fromEntries(entries)
}

function readFound(read: () => string): ReturnType<ReadImport> {
  try {
    return { contents: read() }
  } catch (error) {
    return { error: String(error) }
  }
}

function contractOf(output: SolidityOutput, name: ContractName): CompiledContract {
  const contract = output.contracts?.[`${name}.sol`]?.[name]
  if (!contract) throw new Error(`The compiler output has no contract ${name}.`)
  return { abi: contract.abi as Abi, bytecode: `0x${contract.evm.bytecode.object}` }
}

/** Normalizes line endings, so that a checkout with CRLF has the same hash. */
function readText(path: string | URL): string {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
}
