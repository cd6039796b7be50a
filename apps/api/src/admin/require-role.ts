import { TallystickError } from '@tallystick/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Auditor } from '../audit/audit-log.ts'
import { type AdminRole, type AdminToken, createTokenFinder } from './admin-tokens.ts'

/** Role that a route needs, `all` by default. `any` is every token. `none` needs no token. */
type NeededRole = AdminRole | 'any' | 'none'

/** Returns the Fastify options of a route that needs a role. */
export function needs(role: NeededRole): { readonly config: object } {
  return { config: { role } }
}

/** Rejects requests without a known token or without the role of the route. Returns the function that identifies the sender. */
export function requireRole(
  app: FastifyInstance,
  tokens: readonly AdminToken[],
): (request: FastifyRequest) => Pick<Auditor, 'actor' | 'remark'> {
  const find = createTokenFinder(tokens)
  const names = new WeakMap<FastifyRequest, string>()
  app.addHook('onRequest', (request, reply, done) => {
    const role = roleOf(request)
    if (role === 'none') return done()
    const holder = find(request.headers.authorization ?? '')
    if (!holder) {
      reply.header('www-authenticate', 'Bearer')
      return done(unauthorized())
    }
    if (role !== 'any' && !holder.roles.includes(role) && !holder.roles.includes('all')) {
      return done(insufficientRole(holder, role))
    }
    names.set(request, holder.name)
    return done()
  })
  return (request) => ({ actor: names.get(request) ?? 'unknown', remark: remarkOf(request) })
}

function roleOf(request: FastifyRequest): NeededRole {
  if (request.is404) return 'any'
  return (request.routeOptions.config as { readonly role?: NeededRole }).role ?? 'all'
}

/** Returns the user that the command line names. It is recorded with the token's name, never instead of it. */
function remarkOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['tallystick-by']
  if (typeof given !== 'string') return undefined
  try {
    return (
      decodeURIComponent(given)
        .replaceAll(/\p{Cc}/gu, '')
        .slice(0, 200) || undefined
    )
  } catch {
    return undefined
  }
}

function unauthorized(): TallystickError {
  return new TallystickError({
    code: 'unauthorized',
    message:
      'Send an admin token as "Authorization: Bearer <token>" (admin.token or one of admin.tokens in the configuration).',
    retryable: false,
  })
}

function insufficientRole({ name, roles }: AdminToken, needed: AdminRole): TallystickError {
  const wanted = needed === 'all' ? '"all"' : `"${needed}" or "all"`
  return new TallystickError({
    code: 'insufficient_role',
    message: `This request needs the role ${wanted}. The token "${name}" has ${roles.map((role) => `"${role}"`).join(', ')}.`,
    retryable: false,
    details: { token: name, role: needed },
  })
}
