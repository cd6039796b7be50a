import { type KeyScope, TallystickError } from '@tallystick/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KeyRing } from '../keys/key-ring.ts'
import { countRequest } from './count-request.ts'

export type Authenticate = (scope: KeyScope, request: FastifyRequest, reply: FastifyReply) => void

/**
 * Creates the function that checks key, scope and rate limit of a request, in that order. It throws at the first that
 * fails and never waits.
 */
export function createAuthenticate(keyRing: Pick<KeyRing, 'find'>, monotonicNow: () => number): Authenticate {
  return (scope, request, reply) => {
    const secret = request.headers['x-api-key']
    const key = typeof secret === 'string' ? keyRing.find(secret, request.nowMs) : undefined
    if (!key) throw invalidKey()
    if (!key.scopes.has(scope)) throw insufficientScope(scope)
    key.uses[scope]++
    if (key.window) countRequest(key.window, { reply, monotonicMs: monotonicNow(), whose: 'This key' })
  }
}

/** One text for every fault of a key, so that it does not reveal which keys exist. */
function invalidKey(): TallystickError {
  return new TallystickError({
    code: 'invalid_api_key',
    message: 'The x-api-key header does not contain a valid key. Ask the operator of this service for one.',
    retryable: false,
  })
}

function insufficientScope(scope: KeyScope): TallystickError {
  return new TallystickError({
    code: 'insufficient_scope',
    message: `This key may not use this endpoint: it lacks the scope "${scope}". Ask the operator for a key that has it.`,
    retryable: false,
    details: { scope },
  })
}
