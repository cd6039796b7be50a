import { formatRate, type RateWindow, type Time } from '@tallystick/base'
import { type KeyScope, TallystickError } from '@tallystick/core'
import {
  type Caller,
  type Cors,
  countRequest,
  createAddressWindows,
  createIdentifyCaller,
  createIsForwardedHttps,
  createRequestAddress,
  type FastPathOptions,
  type FindAddressWindow,
  type IdentifyCaller,
  refusal,
} from '@tallystick/http'
import type { KeyRing, RingKey } from '@tallystick/keys'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { RouteScope } from './document.ts'

/** Who may send requests, and how many. The framework and the fast path before it ask the same parts. */
export type Access = {
  readonly keyRing: Pick<KeyRing, 'find'>
  readonly addressOf: (request: Caller) => string
  readonly identifyCaller: IdentifyCaller
  readonly findAddressWindow: FindAddressWindow
  /** Undefined if the service has TLS itself. */
  readonly isForwardedHttps: ((request: Caller) => boolean) | undefined
  readonly cors: Cors | undefined
}

type AccessParts = Pick<Access, 'keyRing' | 'cors'> & { readonly time: Pick<Time, 'monotonic'> }

export function createAccess(
  { proxy, publicRpm }: Pick<Config['listen'], 'proxy' | 'publicRpm'>,
  { keyRing, cors, time }: AccessParts,
): Access {
  const trusted = proxy?.trust ?? []
  const identifyCaller = createIdentifyCaller(trusted)
  return {
    keyRing,
    addressOf: createRequestAddress(trusted),
    identifyCaller,
    findAddressWindow: createAddressWindows({ rpm: publicRpm, identifyCaller, time }),
    isForwardedHttps: proxy && createIsForwardedHttps(proxy.trust),
    cors,
  }
}

/** Creates the check of requests that the fast path can answer. The framework rejects the others with their reason. */
export function createAdmit(access: Access): FastPathOptions['admit'] {
  const { keyRing, addressOf, findAddressWindow, isForwardedHttps, cors } = access
  return ({ config: { scope, openTo } }, arrival) => {
    const { headers, startedMs, nowMs } = arrival
    if (isForwardedHttps && !isForwardedHttps(arrival)) return undefined
    if (openTo) return countInLines(findAddressWindow(arrival), startedMs)
    const secret = headers['x-api-key']
    const key = secret === undefined ? undefined : keyRing.find(secret, nowMs)
    if (!key || !scope || scope === 'any' || !key.scopes.has(scope)) return undefined
    if (key.allows && !key.allows(addressOf(arrival))) return undefined
    const lines = countInLines(key.limit, startedMs)
    if (lines === undefined) return undefined
    key.uses[scope]++
    return cors ? lines + cors.linesOf(headers.origin) : lines
  }
}

/** Counts a request. Returns the header lines of its answer, or undefined if it is not allowed. */
function countInLines(
  window: Pick<RateWindow, 'policy' | 'take'> | undefined,
  monotonicMs: number,
): string | undefined {
  if (!window) return ''
  const rate = window.take(monotonicMs)
  return rate.allowed ? `ratelimit-policy: ${window.policy}\r\nratelimit: ${formatRate(rate)}\r\n` : undefined
}

export type Authenticate = (scope: RouteScope, request: FastifyRequest, reply: FastifyReply) => RingKey

/**
 * Creates the function that checks key, address, scope and limits of a request, in that order. It throws at the first that
 * fails and never waits. Returns the key.
 */
export function createAuthenticate(
  { keyRing, addressOf }: Pick<Access, 'keyRing' | 'addressOf'>,
  time: Pick<Time, 'monotonic'>,
): Authenticate {
  return (scope, request, reply) => {
    const secret = request.headers['x-api-key']
    const key = typeof secret === 'string' ? keyRing.find(secret, request.nowMs) : undefined
    if (!key) throw invalidKey()
    if (key.allows && !key.allows(addressOf(request))) throw addressNotAllowed()
    if (scope !== 'any') useScope(key, scope)
    if (key.limit) countRequest(key.limit, { reply, monotonicMs: time.monotonic(), whose: 'This key' })
    return key
  }
}

/** Counts a use of a scope. Throws `insufficient_scope` if the key lacks it. */
export function useScope(key: RingKey, scope: KeyScope): void {
  if (!key.scopes.has(scope)) throw insufficientScope(scope)
  key.uses[scope]++
}

/** One text for every fault of a key, so that it does not reveal which keys exist. */
function invalidKey(): TallystickError {
  return refusal(
    'invalid_api_key',
    'The x-api-key header does not contain a valid key. Ask the operator of this service for one.',
  )
}

/** Does not name the address: behind a proxy that is not trusted it would be the proxy's. */
function addressNotAllowed(): TallystickError {
  return refusal(
    'address_not_allowed',
    'This key may not be used from your address. Use it from a network that the operator has allowed for it.',
  )
}

function insufficientScope(scope: KeyScope): TallystickError {
  return new TallystickError({
    code: 'insufficient_scope',
    message: `This key may not use this endpoint: it lacks the scope "${scope}". Ask the operator for a key that has it.`,
    retryable: false,
    details: { scope },
  })
}
