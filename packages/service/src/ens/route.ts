import { assertParameters, refusal } from '@tallystick/http'
import type { RouteHandlerMethod } from 'fastify'
import type { Route } from '../routing/route.ts'
import type { EnsParts } from './create-ens-parts.ts'

/** Creates `GET /ens/<name>`, with which the page finds the address of a name. Without `parts` ENS is not configured. */
export function createEnsRoute(parts: EnsParts | undefined): Route {
  const handler: RouteHandlerMethod = async (request, reply) => {
    assertParameters(request.query as Record<string, unknown>, [])
    if (!parts) throw refusal('not_found', 'This service does not resolve ENS names. Enter an address.')
    const found = await parts.resolve((request.params as { readonly name: string }).name)
    return reply.header('cache-control', 'public, max-age=60').send(found)
  }
  return { method: 'GET', url: '/ens/:name', openTo: 'own-origin', handler }
}
