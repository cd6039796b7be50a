import { TallystickError } from '@tallystick/core'
import { type LimitAddress, rejectParameters } from '@tallystick/http'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Route } from '../routing/route.ts'
import type { EnsParts } from './open-ens.ts'

/** Creates `GET /ens/<name>`, with which the page finds the address of a name. It is public. */
export function createEnsRoute({
  parts,
  limitAddress,
}: {
  /** Undefined if ENS is not configured. */
  readonly parts: EnsParts | undefined
  readonly limitAddress: LimitAddress
}): Route {
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    limitAddress(request, reply)
    done()
  }
  const handler: RouteHandlerMethod = async (request, reply) => {
    rejectParameters(request.query as Record<string, unknown>)
    if (!parts) throw notConfigured()
    const found = await parts.resolve((request.params as { readonly name: string }).name)
    return reply.header('cache-control', 'public, max-age=60').send(found)
  }
  return { method: 'GET', url: '/ens/:name', onRequest, handler }
}

function notConfigured(): TallystickError {
  return new TallystickError({
    code: 'not_found',
    message: 'This service does not resolve ENS names. Enter an address.',
    retryable: false,
  })
}
