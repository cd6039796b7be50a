import { createTrust } from '@tallystick/base'
import type { TallystickError } from '@tallystick/core'
import type { FastifyInstance } from 'fastify'
import { refusal } from '../response/errors.ts'

/** Rejects requests that did not reach a trusted proxy over HTTPS. X-Forwarded-Proto of others is ignored. */
export function requireForwardedHttps(app: FastifyInstance, trust: readonly string[]): void {
  const isTrusted = createTrust(trust)
  app.addHook('onRequest', (request, reply, done) => {
    const secure =
      isTrusted(request.socket.remoteAddress ?? '') &&
      String(request.headers['x-forwarded-proto'] ?? '').toLowerCase() === 'https'
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
