import { createTrust } from '@tallystick/base'
import type { ErrorBody, TallystickError } from '@tallystick/core'
import type { FastifyInstance } from 'fastify'
import { errorBody, refusal, statusOf } from '../response/errors.ts'

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

type PlainHttpAnswerOptions = {
  readonly requestId: string
  readonly date: string
  readonly headers: Readonly<Record<string, string>>
  /** A HEAD request gets the headers only. */
  readonly head: boolean
}

/** Formats the whole response to a plain HTTP request on the TLS port. */
export function plainHttpAnswer({ requestId, date, headers, head }: PlainHttpAnswerOptions): string {
  const error = httpsRequired()
  const body = JSON.stringify(errorBody(error, requestId) satisfies ErrorBody)
  const lines = Object.entries({
    date,
    ...headers,
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${statusOf(error.code)} Forbidden`, ...lines, '', head ? '' : body].join('\r\n')
}

function httpsRequired(): TallystickError {
  return refusal(
    'https_required',
    'Use https. If this request carried an API key, the key was sent unencrypted: ask the operator to rotate it.',
  )
}
