import { quote, within } from '@tallystick/base'
import { createRpcEndpoint, type RpcEndpoint, RpcError } from '@tallystick/chain'
import { TallystickError } from '@tallystick/core'
import { refusal } from '@tallystick/http'
import { LRUCache } from 'lru-cache'
import { type Address, BaseError, createClient, custom } from 'viem'
import type { ServiceContext } from '../service-context.ts'

export type EnsParts = {
  /** Returns the address of a name. Throws a `TallystickError` that says why there is none. */
  resolve(name: string): Promise<{ readonly name: string; readonly address: Address }>
}

/** Address of a name, or why it has none. */
type EnsAnswer = { readonly address: Address } | { readonly reason: 'not-found' | 'off-chain' }

const timeoutMs = 3_000
// For all RPCs and attempts together.
const deadlineMs = 5_000
// Further lookups are refused until one ends.
const pendingMax = 50
// An answer is an address. ENS' own errors have a few hundred bytes.
const answerBytesMax = 64 * 1024
// A name that moves is followed soon, and a name of this minute is asked for once.
const cacheMs = 60_000
const cacheMax = 1_000
// The longest domain name.
const nameLengthMax = 255

type EnsContext = Pick<ServiceContext, 'config' | 'log' | 'time' | 'closers'>

/** Creates the resolver of names, or undefined if none is configured. */
export function createEnsParts({ config: { ens }, log, time, closers }: EnsContext): EnsParts | undefined {
  if (!ens) return undefined
  const closing = new AbortController()
  closers.push('ENS', () => closing.abort(new Error('The service stops.')))
  const endpoints = ens.rpc.map((url) => createRpcEndpoint({ url, timeoutMs, answerBytesMax, signal: closing.signal }))
  const perf = { now: time.monotonic }
  const cache = new LRUCache<string, Promise<EnsAnswer>>({ max: cacheMax, ttl: cacheMs, perf })
  let pending = 0
  const read = async (name: string) => {
    // The oldest is dropped first, however often it is read.
    const known = cache.peek(name)
    if (known) return known
    if (pending >= pendingMax) throw busy()
    pending += 1
    const reading = readEnsAddress(name, { endpoints, universalResolver: ens.universalResolver })
    const answer = within(reading, { limitMs: deadlineMs, onLate: refuseLate }).finally(() => {
      pending -= 1
    })
    cache.set(name, answer)
    // A failure is not kept.
    answer.catch(() => cache.peek(name) === answer && cache.delete(name))
    return answer
  }
  return {
    resolve: async (text) => {
      const name = await normalizeName(text)
      const answer = await read(name).catch((error: unknown) => {
        if (error instanceof TallystickError) throw error
        log.warn({ err: error }, 'ENS name cannot be read')
        throw toFailure(error)
      })
      if ('address' in answer) return { name, address: answer.address }
      throw notFound(name, answer.reason)
    },
  }
}

// OffchainLookup of EIP-3668. It names URLs that a client is to fetch.
const offchainLookup = '0x556f1830'

/**
 * Reads the address of a normalized name through the first endpoint that answers. URLs that a contract names are never
 * fetched: anybody can set them, to hosts that only this service reaches.
 */
async function readEnsAddress(
  name: string,
  { endpoints, universalResolver }: { readonly endpoints: readonly RpcEndpoint[]; readonly universalResolver: Address },
): Promise<EnsAnswer> {
  const { getEnsAddress } = await import('viem/ens')
  let failure: unknown
  for (const endpoint of endpoints) {
    const request = ({ method, params = [] }: { method: string; params?: readonly unknown[] }) =>
      endpoint.call({ method, params })
    const client = createClient({ transport: custom({ request }, { retryCount: 0 }), ccipRead: false })
    try {
      const address = await getEnsAddress(client, { name, universalResolverAddress: universalResolver })
      return address ? { address } : { reason: 'not-found' }
    } catch (error) {
      const cause = findRpcError(error)
      if (cause?.kind === 'error' && String(cause.data).startsWith(offchainLookup)) return { reason: 'off-chain' }
      failure = cause ?? error
    }
  }
  throw failure
}

function findRpcError(error: unknown): RpcError | undefined {
  if (error instanceof RpcError) return error
  const found = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcError) : null
  return found instanceof RpcError ? found : undefined
}

function refuseLate(): never {
  throw new RpcError({ kind: 'timeout', message: `no RPC answered within ${deadlineMs} ms` })
}

/** Returns the normalized name, so that names that look alike cannot differ. Throws `invalid_parameter`. */
async function normalizeName(text: string): Promise<string> {
  const { normalize } = await import('viem/ens')
  const fault = (reason: string) =>
    refusal(
      'invalid_parameter',
      `${quote(text)} is not an ENS name: ${reason}. Enter a name such as "name.eth", or an address.`,
    )
  if (text.length > nameLengthMax) throw fault(`it is longer than ${nameLengthMax} characters`)
  if (!text.includes('.')) throw fault('it has no dot')
  let name: string
  try {
    name = normalize(text)
  } catch {
    throw fault('it has an empty label or characters that ENS does not allow')
  }
  if (name.split('.').includes('')) throw fault('it has an empty label')
  return name
}

function notFound(name: string, reason: 'not-found' | 'off-chain'): TallystickError {
  const message =
    reason === 'not-found'
      ? `${quote(name)} has no address in ENS. Check its spelling.`
      : `${quote(name)} is resolved outside of the chain, which this service does not do. Enter its address.`
  return refusal('not_found', message)
}

function busy(): TallystickError {
  const message = 'Too many ENS names are being resolved. Try again in a second.'
  return new TallystickError({ code: 'not_ready', message, retryable: true, retryAfterSeconds: 1 })
}

function toFailure(error: unknown): TallystickError {
  const isTimeout = error instanceof RpcError && error.kind === 'timeout'
  return new TallystickError({
    code: isTimeout ? 'upstream_timeout' : 'upstream_failed',
    message: 'ENS cannot be read at the moment. Try again in a minute, or enter the address.',
    retryable: true,
    retryAfterSeconds: 60,
    cause: error,
  })
}
