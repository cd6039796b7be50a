import type { Metrics } from '@tallystick/base'
import { type Finding, TallystickError } from '@tallystick/core'
import type { Auditor } from '@tallystick/database'
import { createInstance, type InstanceParts, securityHeaders } from '@tallystick/http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AdminToken } from '../config/admin-tokens.ts'
import type { Readiness } from '../health/readiness.ts'
import { addConsoleRoutes, type ConsoleParts } from './console-routes.ts'
import type { FailedTokens } from './failed-tokens.ts'
import { hideUrl } from './hook-view.ts'
import type { Operator } from './operator.ts'
import { mayChange, needs, requireRole } from './require-role.ts'

export type AdminParts = Pick<InstanceParts, 'clock' | 'log' | 'nextRequestId'> & {
  readonly tokens: readonly AdminToken[]
  readonly failedTokens: Pick<FailedTokens, 'count'>
  readonly metrics: Metrics
  /** Creates an operator whose changes are recorded under this name. */
  readonly operatorFor: (who: Pick<Auditor, 'actor' | 'remark'>) => Operator
  readonly checkReadiness: () => Readiness
  /** Returns what a readiness and the metrics say is wrong, each with a remedy. */
  readonly collectFindings: (readiness: Readiness) => readonly Finding[]
  readonly console: ConsoleParts
}

/** Builds the admin listener: health, metrics, keys, curve, notes, webhooks. All but `/livez` need a token with the route's role. */
export function buildAdminApp(parts: AdminParts): FastifyInstance {
  const { metrics } = parts
  const app = createInstance({ ...parts, headers: { ...securityHeaders, 'cache-control': 'no-store' } })
  const identifySender = requireRole(app, parts)
  const operatorOf = (request: FastifyRequest) => parts.operatorFor(identifySender(request))
  app.setNotFoundHandler(() => {
    throw new TallystickError({ code: 'not_found', message: 'The admin listener has no such path.', retryable: false })
  })

  // For orchestrators, which have no token. It reveals only that the process runs.
  app.get('/livez', needs('none'), () => ({ status: 'ok' }))
  // Neither waits for the database: a probe has a second.
  app.get('/healthz', needs('any'), () => {
    const readiness = parts.checkReadiness()
    const well = readiness.findings.filter(({ severity }) => severity === 'ok')
    return { status: 'ok', ...readiness, findings: [...parts.collectFindings(readiness), ...well] }
  })
  app.get('/readyz', needs('any'), (_request, reply) => {
    const readiness = parts.checkReadiness()
    return reply.code(readiness.ready ? 200 : 503).send(readiness)
  })
  app.get('/metrics', needs('metrics'), (_request, reply) =>
    reply.type('text/plain; version=0.0.4').send(metrics.expose()),
  )
  app.get('/whoami', needs('any'), (request) => {
    const { actor, roles } = identifySender(request)
    return { name: actor, roles }
  })
  app.get('/status', needs('any'), (request) => operatorOf(request).showStatus())
  addConsoleRoutes(app, parts.console)
  addKeyRoutes(app, operatorOf)
  addCurveRoutes(app, operatorOf)
  addHookRoutes(app, { operatorOf, maySeeUrls: (request) => mayChange(identifySender(request), 'hooks') })
  addIndexRoutes(app, operatorOf)
  app.get('/log', needs('curve'), (request) => operatorOf(request).showLog())
  app.get('/audit', (request) => operatorOf(request).showAudit(numberOf(request, 'limit')))
  app.get('/audit/check', (request) => operatorOf(request).checkAudit())
  return app
}

type OperatorOf = (request: FastifyRequest) => Operator

function addKeyRoutes(app: FastifyInstance, operatorOf: OperatorOf): void {
  app.get('/keys', needs('keys'), (request) => operatorOf(request).listKeys())
  app.get('/keys/usage', needs('keys'), (request) => operatorOf(request).showUsage(numberOf(request, 'days')))
  app.post('/keys', needs('keys'), (request) => operatorOf(request).createKey(request.body))
  app.post('/keys/:id/revoke', needs('keys'), (request) => operatorOf(request).revokeKey(idOf(request), request.body))
  app.post('/keys/:id/update', needs('keys'), (request) => operatorOf(request).updateKey(idOf(request), request.body))
  app.post('/keys/:id/rotate', needs('keys'), (request) => operatorOf(request).rotateKey(idOf(request), request.body))
}

function addCurveRoutes(app: FastifyInstance, operatorOf: OperatorOf): void {
  const reads = needs('curve', { isRead: true })
  app.get('/curve', needs('curve'), (request) => operatorOf(request).showCurve())
  app.post('/curve', needs('curve'), (request) => operatorOf(request).setCurve(request.body))
  app.post('/curve/preview', reads, (request) => operatorOf(request).previewCurve(request.body))
  app.post('/curve/proposals/:id/approve', needs('curve'), (request) => operatorOf(request).approveCurve(idOf(request)))
  app.get('/notes', needs('curve'), (request) => operatorOf(request).showNotes())
  app.post('/notes/discard', needs('curve'), (request) => operatorOf(request).discardNotes(request.body))
  app.post('/notes/reconcile', needs('curve'), (request) => operatorOf(request).reconcileNotes())
}

function addIndexRoutes(app: FastifyInstance, operatorOf: OperatorOf): void {
  app.get('/index', (request) => operatorOf(request).showIndex())
  app.post('/index/rebuild', (request) => operatorOf(request).rebuildIndex(request.body))
  app.post('/index/check', needs('all', { isRead: true }), (request) => operatorOf(request).checkIndex(request.body))
}

function addHookRoutes(
  app: FastifyInstance,
  {
    operatorOf,
    maySeeUrls,
  }: { readonly operatorOf: OperatorOf; readonly maySeeUrls: (request: FastifyRequest) => boolean },
): void {
  app.get('/hooks', needs('hooks'), async (request) => {
    const { hooks } = await operatorOf(request).listHooks()
    return { hooks: maySeeUrls(request) ? hooks : hooks.map(hideUrl) }
  })
  app.post('/hooks', needs('hooks'), (request) => operatorOf(request).addHook(request.body))
  app.post('/hooks/:id/test', needs('hooks'), (request) => operatorOf(request).testHook(idOf(request)))
  app.post('/hooks/:id/remove', needs('hooks'), (request) => operatorOf(request).removeHook(idOf(request)))
  app.post('/hooks/:id/rotate', needs('hooks'), (request) =>
    operatorOf(request).rotateHook(idOf(request), request.body),
  )
  app.post('/hooks/:id/enable', needs('hooks'), (request) => operatorOf(request).enableHook(idOf(request)))
  app.get('/hooks/:id/deliveries', needs('hooks'), (request) =>
    operatorOf(request).listDeliveries(idOf(request), numberOf(request, 'limit')),
  )
}

function numberOf(request: FastifyRequest, name: string): number | undefined {
  const value = (request.query as Readonly<Record<string, unknown>>)[name]
  return value === undefined ? undefined : Number(value)
}

function idOf(request: FastifyRequest): string {
  return (request.params as { readonly id: string }).id
}
