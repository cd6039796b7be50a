import { type Address, domainSeparator } from 'viem'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { readAddress, readGetter } from './read-getter.ts'

/** EIP-712 domain of a token's permits. */
type TokenDomain = {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: Address
}

/** Facts about a token. A fact that the token does not state, or not in a usable form, is undefined. */
export type TokenFacts = {
  readonly address: Address
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly decimals: number | undefined
  /** Known only if its hash is the token's `DOMAIN_SEPARATOR`. */
  readonly domain: TokenDomain | undefined
}

/** Contracts that a pool names. */
export type PoolContracts = {
  readonly positionToken: Omit<TokenFacts, 'decimals'> | undefined
  readonly dollar: TokenFacts | undefined
  /** Contract that lists the accounts that can neither lend nor receive. */
  readonly denylister: Address | undefined
}

/** Reads the contracts that a pool names. They do not change unless the pool is deployed again or upgraded. */
export async function readContracts(
  endpoint: RpcEndpoint,
  { pool, chainId }: { readonly pool: Address; readonly chainId: number },
): Promise<PoolContracts> {
  const readToken = async (getter: string) => {
    const address = await readAddress(endpoint, { to: pool, getter })
    return address && readFacts(endpoint, { address, chainId })
  }
  const [positionToken, dollar] = await Promise.all([readToken('nonFungibleNotePosition'), readToken('paraUSD')])
  const denylister = positionToken && (await readAddress(endpoint, { to: positionToken.address, getter: 'denylister' }))
  return { positionToken, dollar, denylister }
}

async function readFacts(
  endpoint: RpcEndpoint,
  { address, chainId }: { readonly address: Address; readonly chainId: number },
): Promise<TokenFacts> {
  const read = (getter: string) => readGetter(endpoint, { to: address, getter })
  const readText = async (getter: string) => toPlainText(await read(getter))
  const [name, symbol, decimals, separator, version] = await Promise.all([
    readText('name'),
    readText('symbol'),
    read('decimals'),
    read('DOMAIN_SEPARATOR'),
    readText('version'),
  ])
  const versions = new Set([version ?? '1', '1'])
  const domains =
    name === undefined ? [] : [...versions].map((of) => ({ name, version: of, chainId, verifyingContract: address }))
  return {
    address,
    name,
    symbol,
    decimals: typeof decimals === 'number' && decimals <= decimalsMax ? decimals : undefined,
    domain: domains.find((domain) => domainSeparator({ domain }) === separator),
  }
}

// With more, no amount of 256 bits would be a whole dollar.
const decimalsMax = 77
const textLengthMax = 64

/** Returns a text that can be shown. A token may return anything: pages of text, control characters, a reversed direction. */
function toPlainText(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length === 0 || value.length > textLengthMax) return undefined
  return /[\p{C}\p{Zl}\p{Zp}]/u.test(value) ? undefined : value
}
