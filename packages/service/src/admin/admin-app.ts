import type { Metrics } from '@tallystick/base'
import type { Finding } from '@tallystick/core'
import type { Auditor } from '@tallystick/database'
import { createInstance, type InstanceParts, refusal, securityHeaders } from '@tallystick/http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AdminToken } from '../config/admin-tokens.ts'
import type { Readiness } from '../health/readiness.ts'
import { addConsoleRoutes, type ConsoleParts } from './console-routes.ts'
import type { FailedTokens } from './failed-tokens.ts'
import { hideResponses, hideUrl } from './hook-view.ts'
import type { Operator } from './operator.ts'
import { mayChange, needs, requireRole } from './require-role.ts'

export type AdminParts = Pick<InstanceParts, 'time' | 'log' | 'nextRequestId'> & {
  readonly tokens: readonly AdminToken[]
  readonly failedTokens: Pick<FailedTokens, 'count'>
  readonly metrics: Metrics
  /** Creates an operator whose changes are recorded under this name. */
  readonly operatorFor: (who: Pick<Auditor, 'actor' | 'remark'>) => Operator
  readonly checkReadiness: () => Readiness
  /** Returns what a readiness and the metrics say is wrong, each with a remedy. */
  readonly collectFindings: (readiness: Readiness) => readonly Finding[]
  readonly console: ConsoleParts
  /** Whether the keys of the service are for tests only. */
  readonly isSandbox: boolean
}

/** Builds the admin listener: health, metrics, keys, curve, notes, webhooks. All but `/livez` need a token with the route's role. */
export function buildAdminApp(parts: AdminParts): FastifyInstance {
  const { time, log, nextRequestId, metrics } = parts
  const headers = { ...securityHeaders, 'cache-control': 'no-store' }
  const app = createInstance({ time, log, nextRequestId, headers })
  const identifySender = requireRole(app, parts)
  const operatorOf = (request: FastifyRequest) => parts.operatorFor(identifySender(request))
  app.setNotFoundHandler(() => {
    throw refusal('not_found', 'The admin listener has no such path.')
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
    return { name: actor, roles, isSandbox: parts.isSandbox }
  })
  app.get('/hooks', needs('hooks'), async (request) => {
    const { hooks } = await operatorOf(request).listHooks()
    return { hooks: mayChange(identifySender(request), 'hooks') ? hooks : hooks.map(hideUrl) }
  })
  app.get('/hooks/:id/deliveries/:event', needs('hooks'), async (request) => {
    const { id, event } = readInput(request)
    const report = await operatorOf(request).showDelivery(id, event)
    return mayChange(identifySender(request), 'hooks') ? report : hideResponses(report)
  })
  addConsoleRoutes(app, parts.console)
  for (const [method, url, { config }, run] of commands) {
    app.route({ method, url, config, handler: (request) => run(operatorOf(request), readInput(request)) })
  }
  return app
}

type Command = readonly [
  method: 'GET' | 'POST',
  url: string,
  needs: ReturnType<typeof needs>,
  run: (operator: Operator, input: Input) => unknown,
]

/** Routes that run one command of the operator. */
const commands: readonly Command[] = [
  ['GET', '/status', needs('any'), (operator) => operator.showStatus()],
  ['GET', '/keys', needs('keys'), (operator) => operator.listKeys()],
  ['GET', '/keys/usage', needs('keys'), (operator, { days }) => operator.showUsage(days)],
  ['GET', '/keys/:id', needs('keys'), (operator, { id }) => operator.showKey(id)],
  ['POST', '/keys', needs('keys'), (operator, { body }) => operator.createKey(body)],
  ['POST', '/keys/:id/revoke', needs('keys'), (operator, { id, body }) => operator.revokeKey(id, body)],
  ['POST', '/keys/:id/update', needs('keys'), (operator, { id, body }) => operator.updateKey(id, body)],
  ['POST', '/keys/:id/rotate', needs('keys'), (operator, { id, body }) => operator.rotateKey(id, body)],
  ['GET', '/curve', needs('curve'), (operator) => operator.showCurve()],
  ['POST', '/curve', needs('curve'), (operator, { body }) => operator.setCurve(body)],
  ['POST', '/curve/preview', needs('curve', { isRead: true }), (operator, { body }) => operator.previewCurve(body)],
  ['POST', '/curve/proposals/:id/approve', needs('curve'), (operator, { id }) => operator.approveCurve(id)],
  ['GET', '/notes', needs('curve'), (operator) => operator.showNotes()],
  ['POST', '/notes/discard', needs('curve'), (operator, { body }) => operator.discardNotes(body)],
  ['POST', '/notes/reconcile', needs('curve'), (operator) => operator.reconcileNotes()],
  ['POST', '/hooks', needs('hooks'), (operator, { body }) => operator.addHook(body)],
  ['POST', '/hooks/:id/test', needs('hooks'), (operator, { id }) => operator.testHook(id)],
  ['POST', '/hooks/:id/remove', needs('hooks'), (operator, { id }) => operator.removeHook(id)],
  ['POST', '/hooks/:id/rotate', needs('hooks'), (operator, { id, body }) => operator.rotateHook(id, body)],
  ['POST', '/hooks/:id/enable', needs('hooks'), (operator, { id }) => operator.enableHook(id)],
  ['GET', '/hooks/:id/deliveries', needs('hooks'), (operator, { id, limit }) => operator.listDeliveries(id, limit)],
  [
    'POST',
    '/hooks/:id/deliveries/:event/resend',
    needs('hooks'),
    (operator, { id, event }) => operator.resendDelivery(id, event),
  ],
  ['GET', '/index', needs('all'), (operator) => operator.showIndex()],
  ['POST', '/index/rebuild', needs('all'), (operator, { body }) => operator.rebuildIndex(body)],
  ['POST', '/index/check', needs('all', { isRead: true }), (operator, { body }) => operator.checkIndex(body)],
  ['GET', '/log', needs('curve'), (operator) => operator.showLog()],
  ['GET', '/audit', needs('all'), (operator, { limit, rest }) => operator.showAudit(limit, rest)],
  ['GET', '/audit/check', needs('all'), (operator) => operator.checkAudit()],
]

type Input = {
  readonly id: string
  readonly event: string
  readonly body: unknown
  readonly days: number | undefined
  readonly limit: number | undefined
  /** Other parameters of the query. */
  readonly rest: Readonly<Record<string, unknown>>
}

function readInput({ params, query, body }: FastifyRequest): Input {
  const { id = '', event = '' } = params as { readonly id?: string; readonly event?: string }
  const { days, limit, ...rest } = query as Readonly<Record<string, unknown>>
  const toNumber = (value: unknown) => (value === undefined ? undefined : Number(value))
  return { id, event, body, days: toNumber(days), limit: toNumber(limit), rest }
}
