import { createTrust } from '@tallystick/base'
import type { TallystickError } from '@tallystick/core'
import type { FastifyInstance } from 'fastify'
import { refusal } from '../response/errors.ts'
import type { Caller } from './client-address.ts'

/** Creates the function that returns whether a request reached a trusted proxy over HTTPS. */
export function createIsForwardedHttps(trust: readonly string[]): (request: Caller) => boolean {
  const isTrusted = createTrust(trust)
  // Most requests come from one proxy.
  let last = { address: '', isTrusted: false }
  return ({ headers, socket: { remoteAddress = '' } }) => {
    if (remoteAddress !== last.address) last = { address: remoteAddress, isTrusted: isTrusted(remoteAddress) }
    return last.isTrusted && String(headers['x-forwarded-proto'] ?? '').toLowerCase() === 'https'
  }
}

/** Rejects requests that did not reach a trusted proxy over HTTPS. X-Forwarded-Proto of others is ignored. */
export function requireForwardedHttps(app: FastifyInstance, isForwardedHttps: (request: Caller) => boolean): void {
  app.addHook('onRequest', (request, reply, done) => {
    const secure = isForwardedHttps(request)
    if (!secure) reply.header('connection', 'close')
    done(secure ? undefined : httpsRequired())
  })
}

/** Creates the error of a request over plain HTTP. */
export function httpsRequired(): TallystickError {
  return refusal(
    'https_required',
    'Use https. If this request carried an API key, the key was sent unencrypted: ask the operator to rotate it.',
  )
}
