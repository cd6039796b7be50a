import { type KeyScope, TallystickError } from '@tallystick/core'
import { countRequest, refusal } from '@tallystick/http'
import type { KeyRing, RingKey } from '@tallystick/keys'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Scope of a route. With `any`, every valid key may use it. */
export type RouteScope = KeyScope | 'any'

export type Authenticate = (scope: RouteScope, request: FastifyRequest, reply: FastifyReply) => RingKey

/**
 * Creates the function that checks key, address, scope and limits of a request, in that order. It throws at the first that
 * fails and never waits. Returns the key.
 */
export function createAuthenticate({
  keyRing,
  monotonicNow,
  addressOf,
}: {
  readonly keyRing: Pick<KeyRing, 'find'>
  readonly monotonicNow: () => number
  readonly addressOf: (request: FastifyRequest) => string
}): Authenticate {
  return (scope, request, reply) => {
    const secret = request.headers['x-api-key']
    const key = typeof secret === 'string' ? keyRing.find(secret, request.nowMs) : undefined
    if (!key) throw invalidKey()
    if (key.allows && !key.allows(addressOf(request))) throw addressNotAllowed()
    if (scope !== 'any') useScope(key, scope)
    if (key.limit) countRequest(key.limit, { reply, monotonicMs: monotonicNow(), whose: 'This key' })
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
