import { readFileSync } from 'node:fs'

/** Description of a chain: everything that differs between the manifests of two chains. Addresses are in lower case. */
export type ChainDescription = {
  readonly chainId: number
  /** Name of the chain in the configuration of graph-node: `base`, `zksync-era`. */
  readonly network: string
  /** Block of the pool's deployment, or an earlier one. */
  readonly startBlock: number
  readonly pool: string
  readonly positions: string
  /** Denylisters of the position token and the dollar. Null if a token has none. */
  readonly denylisters: { readonly positions: string | null; readonly dollar: string | null }
  /** Signer of the pool at `startBlock`. Null if it is not known. */
  readonly signer: string | null
}

/** Reads the description of a chain from a file. Throws an error that lists all faults. */
export function readChainDescription(path: string): ChainDescription {
  try {
    return parseChainDescription(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The chain description ${path} is not valid: ${reason}`, { cause })
  }
}

/** Parses the JSON of a chain description. Throws an error that lists all faults. */
export function parseChainDescription(json: unknown): ChainDescription {
  const faults: string[] = []
  const root = readMembers(json, { path: '', names, faults })
  const denylisters = readMembers(root['denylisters'], { path: 'denylisters', names: denylisterNames, faults })
  const readAddress = (value: unknown, path: string) => {
    if (typeof value === 'string' && addressPattern.test(value)) return value.toLowerCase()
    faults.push(`${path} must be an address, 0x and 40 hexadecimal digits`)
    return ''
  }
  const readNumber = (path: 'chainId' | 'startBlock', least: number) => {
    const value = root[path]
    if (Number.isSafeInteger(value) && (value as number) >= least) return value as number
    faults.push(`${path} must be an integer of at least ${least}`)
    return 0
  }
  const network = root['network']
  if (typeof network !== 'string' || !/^[a-z0-9][a-z0-9-]*$/.test(network)) {
    faults.push('network must be a name of lower-case letters, digits and hyphens')
  }
  const optional = (value: unknown, path: string) => (value === null ? null : readAddress(value, path))
  const description = {
    chainId: readNumber('chainId', 1),
    network: String(network),
    startBlock: readNumber('startBlock', 0),
    pool: readAddress(root['pool'], 'pool'),
    positions: readAddress(root['positions'], 'positions'),
    denylisters: {
      positions: optional(denylisters['positions'], 'denylisters.positions'),
      dollar: optional(denylisters['dollar'], 'denylisters.dollar'),
    },
    signer: optional(root['signer'], 'signer'),
  }
  faults.push(...findSharedAddresses(description))
  if (faults.length > 0) throw new Error(`${faults.join('; ')}.`)
  return description
}

const names = ['chainId', 'network', 'startBlock', 'pool', 'positions', 'denylisters', 'signer']
const denylisterNames = ['positions', 'dollar']
const addressPattern = /^0x[0-9a-fA-F]{40}$/

function readMembers(
  json: unknown,
  { path, names, faults }: { readonly path: string; readonly names: readonly string[]; readonly faults: string[] },
): Readonly<Record<string, unknown>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    faults.push(`${path || 'the description'} must be an object`)
    return {}
  }
  const unknown = Object.keys(json).filter((name) => !names.includes(name))
  faults.push(...unknown.map((name) => `${path ? `${path}.` : ''}${name} is unknown`))
  return json as Readonly<Record<string, unknown>>
}

/** A log belongs to one data source by its address. The two denylisters may be one contract. */
function findSharedAddresses({ pool, positions, denylisters }: ChainDescription): readonly string[] {
  const others = [pool, positions].filter((address) => address !== '')
  const faults = pool !== '' && pool === positions ? ['pool and positions must be different contracts'] : []
  for (const [name, address] of Object.entries(denylisters)) {
    if (address && others.includes(address))
      faults.push(`denylisters.${name} must not be the pool or the position token`)
  }
  return faults
}
