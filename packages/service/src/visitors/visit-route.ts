import type { Route } from '../routing/route.ts'
import type { VisitorAccess } from './visitor-access.ts'

/**
 * Creates `POST /portal/visit`, with which the page gets its token. It is part of the page, not of the API, so the OpenAPI
 * document does not describe it.
 */
export function createVisitRoute(access: Pick<VisitorAccess, 'issue'>): Route {
  return {
    method: 'POST',
    url: '/portal/visit',
    openTo: 'own-origin',
    handler: (request, reply) => reply.header('cache-control', 'no-store').send(access.issue(request, reply)),
  }
}
