import type { Address } from 'viem'
import {
  decodeAddress,
  decodeBoolean,
  decodeCount,
  decodeDecimal,
  decodeForm,
  decodeList,
  decodeMember,
  decodeNullable,
  decodeString,
  type Place,
} from '../decode/decode.ts'
import { InvalidRequestError } from '../errors.ts'
import type { Connection } from '../http/connection.ts'
import { requestJson } from '../http/request-json.ts'
import { untilAborted } from '../http/with-deadline.ts'
import { decodeChainId, decodeTenor } from '../notes/decode-notes.ts'

/** EIP-712 domain of a contract, in the format of viem's `signTypedData`. */
export type ChainDomain = {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: Address
}

/** Token of a chain; null if the service does not know a value. */
export type ChainToken = {
  readonly address: Address
  readonly name: string | null
  readonly symbol: string | null
  /** Domain of the token's permits. */
  readonly domain: ChainDomain | null
}

/** Chain of the service, with everything that is needed to lend on it; null if the service does not know a value. */
export type ServiceChain = {
  readonly chainId: number
  readonly name: string
  readonly pool: Address
  /** Domain of the notes. */
  readonly domain: ChainDomain
  /** Signer of this service's notes. */
  readonly signer: Address
  /** Signer whose notes the pool accepts now. */
  readonly registeredSigner: Address | null
  readonly positionToken: ChainToken | null
  readonly dollar: (ChainToken & { readonly decimals: number | null }) | null
  /** Contract that knows which accounts cannot lend, receive or claim. */
  readonly denylister: Address | null
  /** Tenors that the service offers, in days. */
  readonly tenors: readonly number[]
  /** Limits of the pool. */
  readonly limits: {
    /** In the dollar token's smallest unit. */
    readonly minLend: bigint | null
    /** In basis points. */
    readonly maxCoupon: bigint | null
    /** Minimum time between lending and maturity. */
    readonly minMaturitySeconds: bigint | null
  }
  readonly explorerUrl: string | null
  /** URL of the public GraphQL endpoint. */
  readonly subgraphUrl: string | null
  /** Whether `data`, `positions`, `earnings` and `floatingIncomes` work for this chain. */
  readonly hasData: boolean
}

/** Requests `GET /chains`. */
export async function fetchChains(
  connection: Connection,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly ServiceChain[]> {
  const { json } = await requestJson(connection, { path: '/chains', signal })
  return decodeChains(json, connection)
}

export function decodeChains(value: unknown, { baseUrl }: Pick<Connection, 'baseUrl'>): readonly ServiceChain[] {
  const chains = decodeMember({ value, path: 'GET /chains: body' }, 'chains')
  return decodeList(chains, (place) => decodeChain(place, baseUrl))
}

function decodeChain(place: Place, baseUrl: string): ServiceChain {
  const member = (name: string) => decodeMember(place, name)
  const limit = (name: string) => decodeNullable(decodeMember(member('limits'), name), decodeDecimal)
  return {
    chainId: decodeChainId(member('chainid')),
    name: decodeString(member('name')),
    pool: decodeAddress(member('pool')),
    domain: decodeDomain(member('domain')),
    signer: decodeAddress(member('signer')),
    registeredSigner: decodeNullable(member('registeredSigner'), decodeAddress),
    positionToken: decodeNullable(member('positionToken'), decodeToken),
    dollar: decodeNullable(member('dollar'), (dollar) => ({
      ...decodeToken(dollar),
      decimals: decodeNullable(decodeMember(dollar, 'decimals'), decodeCount),
    })),
    denylister: decodeNullable(member('denylister'), decodeAddress),
    tenors: decodeList(member('tenors'), decodeTenor),
    limits: {
      minLend: limit('minLend'),
      maxCoupon: limit('maxCoupon'),
      minMaturitySeconds: limit('minMaturitySeconds'),
    },
    explorerUrl: decodeNullable(member('explorerUrl'), decodeWebUrl),
    subgraphUrl: decodeNullable(member('subgraphUrl'), (path) => `${baseUrl}${decodeForm(path, /^\//, 'a path')}`),
    hasData: decodeBoolean(member('hasData')),
  }
}

function decodeToken(place: Place): ChainToken {
  return {
    address: decodeAddress(decodeMember(place, 'address')),
    name: decodeNullable(decodeMember(place, 'name'), decodeString),
    symbol: decodeNullable(decodeMember(place, 'symbol'), decodeString),
    domain: decodeNullable(decodeMember(place, 'domain'), decodeDomain),
  }
}

function decodeDomain(place: Place): ChainDomain {
  return {
    name: decodeString(decodeMember(place, 'name')),
    version: decodeString(decodeMember(place, 'version')),
    chainId: decodeCount(decodeMember(place, 'chainId')),
    verifyingContract: decodeAddress(decodeMember(place, 'verifyingContract')),
  }
}

/** Decodes a URL that is safe as a link: a `javascript:` URL is not. */
function decodeWebUrl(place: Place): string {
  return decodeForm(place, /^https?:\/\//, 'an http URL')
}

/** Returns the chains of a call that names none. */
type DefaultChains = (signal: AbortSignal | undefined) => Promise<readonly number[]>

/**
 * Creates a function that returns the service's chains with data. They are fetched at the first call. Concurrent calls share
 * the request, and a failed one is repeated at the next call. The signal of a call ends only its own wait.
 */
export function createDefaultChains(connection: Connection): DefaultChains {
  let fetched: Promise<readonly number[]> | undefined
  return async (signal) => {
    signal?.throwIfAborted()
    fetched ??= fetchDataChains(connection).catch((error: unknown) => {
      fetched = undefined
      throw error
    })
    return untilAborted(fetched, signal)
  }
}

async function fetchDataChains(connection: Connection): Promise<readonly number[]> {
  const chains = (await fetchChains(connection)).filter(({ hasData }) => hasData).map(({ chainId }) => chainId)
  if (chains.length > 0) return chains
  const message = 'No chain of the service has data. Ask the operator to configure a subgraph.'
  throw new InvalidRequestError({ code: 'invalid_chains', message })
}
