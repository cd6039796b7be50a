import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import solc from 'solc'
import type { Abi } from 'viem'

type CompiledContract = { readonly abi: Abi; readonly bytecode: string }

/** Compiler output of the contracts. */
export type CompiledContracts = Readonly<Record<ContractName, CompiledContract>>

/** Contracts that are deployed, here or by a test. Each is in the file of its name. */
const contractNames = ['Denylister', 'DollarToken', 'OwnersWallet', 'Pool', 'PositionToken'] as const
type ContractName = (typeof contractNames)[number]

/** Output of the compiler's standard JSON interface. The solc package has no types. */
type SolidityOutput = {
  readonly errors?: readonly { readonly formattedMessage: string }[]
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, SolidityContract>>>>
}

type SolidityContract = {
  readonly abi: readonly unknown[]
  readonly evm: { readonly bytecode: { readonly object: string } }
}

const require = createRequire(import.meta.url)
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
  const versions = [versionOf('solc'), versionOf('@openzeppelin/contracts')]
  const parts = JSON.stringify([readSources(), settings, versions])
  return createHash('sha256').update(parts).digest('hex')
}

/** Compiles every contract. Throws an error with the compiler's messages, warnings included. */
export function compileContracts(): CompiledContracts {
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

function readImport(path: string): { readonly contents: string } | { readonly error: string } {
  try {
    return { contents: readText(require.resolve(path)) }
  } catch (error) {
    return { error: String(error) }
  }
}

function contractOf(output: SolidityOutput, name: ContractName): CompiledContract {
  const contract = output.contracts?.[`${name}.sol`]?.[name]
  if (!contract) throw new Error(`The compiler output has no contract ${name}.`)
  return { abi: contract.abi as Abi, bytecode: `0x${contract.evm.bytecode.object}` }
}

function versionOf(packageName: string): string {
  return `${packageName}@${JSON.parse(readText(require.resolve(`${packageName}/package.json`))).version}`
}

/** Normalizes line endings, so that a checkout with CRLF has the same hash. */
function readText(path: string | URL): string {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
}
