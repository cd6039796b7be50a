import { createHash, timingSafeEqual } from 'node:crypto'
import { TallystickError } from '@tallystick/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { securityHeaders } from '../http/common-headers.ts'
import { createInstance, type InstanceParts } from '../http/create-instance.ts'
import type { Metrics } from '../metrics.ts'
import type { Operator } from './operator.ts'
import type { Readiness } from './readiness.ts'

export type AdminParts = Pick<InstanceParts, 'clock' | 'log' | 'nextRequestId'> & {
  readonly token: string
  readonly metrics: Metrics
  readonly operator: Operator
  readonly checkReadiness: () => Promise<Readiness>
}

/** The admin listener: health, metrics, keys, curve. Everything on it needs the bearer token. */
export function buildAdminApp(parts: AdminParts): FastifyInstance {
  const { operator, metrics } = parts
  const app = createInstance({ ...parts, headers: securityHeaders })
  requireToken(app, parts.token)
  app.setNotFoundHandler(() => {
    throw new TallystickError({ code: 'not_found', message: 'The admin listener has nothing here.', retryable: false })
  })

  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const readiness = await parts.checkReadiness()
    return reply.code(readiness.ready ? 200 : 503).send(readiness)
  })
  app.get('/metrics', (_request, reply) => reply.type('text/plain; version=0.0.4').send(metrics.expose()))
  app.get('/keys', () => operator.listKeys())
  app.post('/keys', (request) => operator.createKey(request.body))
  app.post('/keys/:id/revoke', (request) => operator.revokeKey(idOf(request)))
  app.post('/keys/:id/rotate', (request) => operator.rotateKey(idOf(request), request.body))
  app.get('/curve', () => operator.showCurve())
  app.post('/curve', (request) => operator.setCurve(request.body))
  app.get('/notes', () => operator.showNotes())
  return app
}

function idOf(request: FastifyRequest): string {
  return (request.params as { readonly id: string }).id
}

function requireToken(app: FastifyInstance, token: string): void {
  const expected = digest(`Bearer ${token}`)
  app.addHook('onRequest', (request, reply, done) => {
    // Hashed first, so that neither the time taken nor the length tells anything of the token.
    if (timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) return done()
    reply.header('www-authenticate', 'Bearer')
    done(
      new TallystickError({
        code: 'unauthorized',
        message: 'Send the admin token as "Authorization: Bearer <token>" (admin.token in the configuration).',
        retryable: false,
      }),
    )
  })
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
