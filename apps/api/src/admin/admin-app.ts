import { TallystickError } from '@tallystick/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Auditor } from '../audit/audit-log.ts'
import { securityHeaders } from '../http/common-headers.ts'
import { createInstance, type InstanceParts } from '../http/create-instance.ts'
import type { Metrics } from '../metrics.ts'
import type { AdminToken } from './admin-tokens.ts'
import type { Operator } from './operator.ts'
import type { Readiness } from './readiness.ts'
import { needs, requireRole } from './require-role.ts'

export type AdminParts = Pick<InstanceParts, 'clock' | 'log' | 'nextRequestId'> & {
  readonly tokens: readonly AdminToken[]
  readonly metrics: Metrics
  /** Creates an operator whose changes are recorded under this name. */
  readonly operatorFor: (who: Pick<Auditor, 'actor' | 'remark'>) => Operator
  readonly checkReadiness: () => Promise<Readiness>
}

/** Builds the admin listener: health, metrics, keys, curve, notes, webhooks. All but `/livez` need a token with the route's role. */
export function buildAdminApp(parts: AdminParts): FastifyInstance {
  const { metrics } = parts
  const app = createInstance({ ...parts, headers: securityHeaders })
  const identifySender = requireRole(app, parts.tokens)
  const operatorOf = (request: FastifyRequest) => parts.operatorFor(identifySender(request))
  app.setNotFoundHandler(() => {
    throw new TallystickError({ code: 'not_found', message: 'The admin listener has no such path.', retryable: false })
  })

  // For orchestrators, which have no token. It reveals only that the process runs.
  app.get('/livez', needs('none'), () => ({ status: 'ok' }))
  app.get('/healthz', needs('any'), () => ({ status: 'ok' }))
  app.get('/readyz', needs('any'), async (_request, reply) => {
    const readiness = await parts.checkReadiness()
    return reply.code(readiness.ready ? 200 : 503).send(readiness)
  })
  app.get('/metrics', needs('metrics'), (_request, reply) =>
    reply.type('text/plain; version=0.0.4').send(metrics.expose()),
  )
  app.get('/keys', needs('keys'), (request) => operatorOf(request).listKeys())
  app.post('/keys', needs('keys'), (request) => operatorOf(request).createKey(request.body))
  app.post('/keys/:id/revoke', needs('keys'), (request) => operatorOf(request).revokeKey(idOf(request), request.body))
  app.post('/keys/:id/rotate', needs('keys'), (request) => operatorOf(request).rotateKey(idOf(request), request.body))
  app.get('/curve', needs('curve'), (request) => operatorOf(request).showCurve())
  app.post('/curve', needs('curve'), (request) => operatorOf(request).setCurve(request.body))
  app.post('/curve/proposals/:id/approve', needs('curve'), (request) => operatorOf(request).approveCurve(idOf(request)))
  app.get('/notes', needs('curve'), (request) => operatorOf(request).showNotes())
  app.post('/notes/discard', needs('curve'), (request) => operatorOf(request).discardNotes(request.body))
  app.post('/notes/reconcile', needs('curve'), (request) => operatorOf(request).reconcileNotes())
  app.get('/hooks', needs('hooks'), (request) => operatorOf(request).listHooks())
  app.post('/hooks', needs('hooks'), (request) => operatorOf(request).addHook(request.body))
  app.post('/hooks/:id/test', needs('hooks'), (request) => operatorOf(request).testHook(idOf(request)))
  app.post('/hooks/:id/remove', needs('hooks'), (request) => operatorOf(request).removeHook(idOf(request)))
  app.post('/hooks/:id/rotate', needs('hooks'), (request) =>
    operatorOf(request).rotateHook(idOf(request), request.body),
  )
  app.post('/hooks/:id/enable', needs('hooks'), (request) => operatorOf(request).enableHook(idOf(request)))
  app.get('/hooks/:id/deliveries', needs('hooks'), (request) =>
    operatorOf(request).listDeliveries(idOf(request), limitOf(request)),
  )
  app.get('/log', needs('curve'), (request) => operatorOf(request).showLog())
  app.get('/audit', (request) => operatorOf(request).showAudit(limitOf(request)))
  return app
}

function limitOf(request: FastifyRequest): number | undefined {
  const { limit } = request.query as { readonly limit?: unknown }
  return limit === undefined ? undefined : Number(limit)
}

function idOf(request: FastifyRequest): string {
  return (request.params as { readonly id: string }).id
}
