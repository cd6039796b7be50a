import { type Abi, type AbiParameter, toEventSelector } from 'viem'
import { type CompiledContracts, hashContractSources } from './compile-contracts.ts'

type Entry = Abi[number]
type NamedEntry = Exclude<Entry, { readonly type: 'constructor' | 'fallback' | 'receive' }>

/**
 * Formats the compiled contracts as the files of `src/generated`. Functions and events of the pool, and all errors, are one constant each,
 * so that a bundler keeps only those in use. Bytecode is in a module of its own.
 */
export function formatArtifacts(
  contracts: CompiledContracts,
): readonly { readonly name: string; readonly text: string }[] {
  const denylister = contracts.Denylister.abi
  const dollarToken = contracts.DollarToken.abi
  const pool = contracts.Pool.abi
  const positionToken = contracts.PositionToken.abi
  const all = [...pool, ...positionToken, ...dollarToken, ...denylister]
  const files = {
    'bytecode.ts': formatBytecode(contracts),
    'denylister.ts': formatContract(denylister),
    'dollar-token.ts': formatContract(dollarToken),
    'owners-wallet.ts': formatTestWallet(contracts.OwnersWallet),
    'errors.ts': formatConstants(errorsOf(all)),
    'event-topics.ts': formatTopics(all),
    'pool-events.ts': formatConstants(entriesOf(pool, 'event')),
    'pool-functions.ts': formatConstants(entriesOf(pool, 'function')),
    'position-token.ts': formatContract(positionToken),
    'sources-hash.ts': `export const sourcesHash = '${hashContractSources()}'\n`,
  }
  return Object.entries(files).map(([name, text]) => ({ name, text: `${generatedNotice}\n${text}` }))
}

function formatBytecode({ Denylister, DollarToken, Pool, PositionToken }: CompiledContracts): string {
  return Object.entries({ denylister: Denylister, dollarToken: DollarToken, pool: Pool, positionToken: PositionToken })
    .map(([name, { abi, bytecode }]) => {
      const constructorEntry = abi.find(({ type }) => type === 'constructor') as Entry
      return [
        `export const ${name}Constructor = ${formatEntry(constructorEntry)} as const\n`,
        `export const ${name}Bytecode = '${bytecode}'\n`,
      ].join('')
    })
    .join('\n')
}

/** Formats the wallet of the tests as one constant for viem's `deployContract` and `encodeFunctionData`. */
function formatTestWallet({ abi, bytecode }: CompiledContracts['OwnersWallet']): string {
  const entries = abi.map((entry) => `  ${formatEntry(entry)},\n`).join('')
  return `export const ownersWalletAbi = [\n${entries}] as const\n\nexport const ownersWalletBytecode = '${bytecode}'\n`
}

function formatConstants(entries: readonly NamedEntry[]): string {
  return entries.map((entry) => `export const ${entry.name} = ${formatEntry(entry)} as const\n`).join('')
}

/** Formats functions as a list without constants of their own: some are overloaded. */
function formatContract(abi: Abi): string {
  const events = entriesOf(abi, 'event')
  const functions = entriesOf(abi, 'function').map((entry) => `  ${formatEntry(entry)},\n`)
  return [
    formatConstants(events),
    `export const events = [${events.map(({ name }) => name).join(', ')}] as const\n`,
    `export const functions = [\n${functions.join('')}] as const\n`,
  ].join('\n')
}

function formatTopics(abi: Abi): string {
  const topics = new Map(entriesOf(abi, 'event').map((event) => [event.name, toEventSelector(event)]))
  const lines = [...topics].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, topic]) => `  ${name}: '${topic}',\n`)
  return `/** First topic of each event's logs: the Keccak-256 hash of its signature. */\nexport const eventTopics = {\n${lines.join('')}} as const\n`
}

function entriesOf<Type extends NamedEntry['type']>(abi: Abi, type: Type) {
  return abi.filter((entry): entry is Extract<NamedEntry, { readonly type: Type }> => entry.type === type)
}

/** Returns every error once. Errors of OpenZeppelin occur in several contracts. */
function errorsOf(abi: Abi) {
  const errors = new Map(entriesOf(abi, 'error').map((error) => [error.name, error]))
  return [...errors.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function formatEntry(entry: Entry): string {
  const { type, name, stateMutability, inputs, outputs } = entry as Partial<Extract<Entry, { type: 'function' }>>
  return JSON.stringify({
    type,
    name,
    stateMutability,
    inputs: inputs?.map(withoutInternalType),
    outputs: outputs?.map(withoutInternalType),
  })
}

/** Drops Solidity's own type names, which have no meaning outside the compiler. */
function withoutInternalType({ name = '', type, ...rest }: AbiParameter): object {
  const { indexed, components } = rest as { readonly indexed?: boolean; readonly components?: readonly AbiParameter[] }
  return { name, type, indexed, components: components?.map(withoutInternalType) }
}

const generatedNotice = '// Generated from packages/contracts/solidity by `npm run compile -w packages/contracts`.\n'
