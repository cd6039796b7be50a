import { etagOf } from '@tallystick/base'
import type { ChainsResponse } from '@tallystick/core'
import { type LimitAddress, matchesEtag, rejectParameters } from '@tallystick/http'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Route } from '../routing/route.ts'
import { describeChains } from './describe-chains.ts'
import type { ChainsParts } from './open-chains.ts'

// A new signer or limit is seen soon.
const cacheControl = 'public, max-age=30'

/** Creates `GET /chains` (DESIGN.md §2.5): everything a program needs to lend on the chains of this service. */
export function createChainsRoute({
  parts,
  limitAddress,
}: {
  readonly parts: ChainsParts
  readonly limitAddress: LimitAddress
}): Route {
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    // Pages of other sites may read it: it is public and the same for everyone.
    reply.header('access-control-allow-origin', '*')
    limitAddress(request, reply)
    done()
  }
  const handler: RouteHandlerMethod = async (request, reply) => {
    rejectParameters(request.query as Record<string, unknown>)
    const chains = await parts.list()
    const message = `${chains.length} ${chains.length === 1 ? 'chain' : 'chains'}.`
    const body = JSON.stringify({ message, chains: [...chains] } satisfies ChainsResponse)
    const etag = etagOf(body)
    reply.headers({ etag, 'cache-control': cacheControl })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(body)
  }
  return { method: 'GET', url: '/chains', describe: describeChains, onRequest, handler }
}
