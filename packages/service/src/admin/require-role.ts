import { type AdminRole, TallystickError } from '@tallystick/core'
import type { Auditor } from '@tallystick/database'
import { refusal } from '@tallystick/http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type AdminToken, createTokenFinder } from '../config/admin-tokens.ts'
import type { FailedTokens } from './failed-tokens.ts'

/** Role that a route needs, `all` by default. `any` is every token. `none` needs no token. */
type NeededRole = AdminRole | 'any' | 'none'

type RouteNeeds = { readonly role?: NeededRole; readonly isRead?: boolean }

/** Holder of the token that a request has, and what the sender says about itself. */
export type Sender = Pick<Auditor, 'actor' | 'remark'> & { readonly roles: readonly AdminRole[] }

/** Returns the Fastify options of a route that needs a role. `isRead` marks a POST that changes nothing. */
export function needs(role: NeededRole, { isRead = false } = {}): { readonly config: object } {
  return { config: { role, isRead } satisfies RouteNeeds }
}

type Guard = { readonly tokens: readonly AdminToken[]; readonly failedTokens: Pick<FailedTokens, 'count'> }

/** Rejects requests without a known token or without the role of the route. Returns the function that identifies the sender. */
export function requireRole(
  app: FastifyInstance,
  { tokens, failedTokens }: Guard,
): (request: FastifyRequest) => Sender {
  const find = createTokenFinder(tokens)
  const holders = new WeakMap<FastifyRequest, AdminToken>()
  app.addHook('onRequest', (request, reply, done) => {
    const { role, isRead } = needsOf(request)
    if (role === 'none') return done()
    const { authorization } = request.headers
    const holder = find(authorization ?? '')
    if (!holder) {
      reply.header('www-authenticate', 'Bearer')
      // A request without a token guesses nothing.
      const counted = authorization ? failedTokens.count(request.socket.remoteAddress ?? '') : Promise.resolve()
      void counted.then(() => done(unauthorized()))
      return
    }
    const accepted = rolesFor(role, isRead)
    if (role !== 'any' && !holder.roles.some((own) => accepted.includes(own))) {
      return done(insufficientRole(holder, { role, accepted }))
    }
    holders.set(request, holder)
    return done()
  })
  return (request) => {
    const { name = 'unknown', roles = [] } = holders.get(request) ?? {}
    return { actor: name, roles, remark: remarkOf(request) }
  }
}

/** Returns whether a sender may change what a role is for. The others only read it. */
export function mayChange({ roles }: Sender, role: AdminRole): boolean {
  return roles.includes(role) || roles.includes('all')
}

function needsOf(request: FastifyRequest): Required<RouteNeeds> {
  const declared = request.is404 ? { role: 'any' as const } : (request.routeOptions.config as RouteNeeds)
  const isRead = declared.isRead || ['GET', 'HEAD'].includes(request.method)
  return { role: declared.role ?? 'all', isRead }
}

/** Returns the roles that a request is accepted with, the narrowest first. */
function rolesFor(role: NeededRole, isRead: boolean): readonly NeededRole[] {
  return [...new Set<NeededRole>([...(role === 'all' ? [] : [role]), ...(isRead ? (['view'] as const) : []), 'all'])]
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
  return refusal(
    'unauthorized',
    'Send an admin token as "Authorization: Bearer <token>" (admin.token or one of admin.tokens in the configuration).',
  )
}

function insufficientRole(
  { name, roles }: AdminToken,
  { role, accepted }: { readonly role: NeededRole; readonly accepted: readonly NeededRole[] },
): TallystickError {
  const wanted = accepted.map((own) => `"${own}"`).join(' or ')
  return new TallystickError({
    code: 'insufficient_role',
    message: `This request needs the role ${wanted}. The token "${name}" has ${roles.map((own) => `"${own}"`).join(', ')}.`,
    retryable: false,
    details: { token: name, role },
  })
}
