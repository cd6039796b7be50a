import { etagOf } from '@tallystick/base'
import { type LimitAddress, matchesEtag } from '@tallystick/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DocumentChains } from '../routing/document.ts'
import type { Route } from '../routing/route.ts'
import { buildDocument } from './build-document.ts'
import { describeOpenapi } from './describe-pages.ts'

/** Route of the document, without its handler. */
export const openapiRoute = { method: 'GET', url: '/openapi.json', describe: describeOpenapi } as const

// Long enough to spare us a reader's clicks, short enough that a new version is seen soon.
const cacheControl = 'public, max-age=300'

/** Creates `GET /openapi.json`. The document describes `routes` and itself, and is built on the first request. */
export function createOpenapiRoute({
  routes,
  context,
  limitAddress,
}: {
  readonly routes: readonly Route[]
  readonly context: DocumentChains
  readonly limitAddress: LimitAddress
}): Route {
  let document: { readonly body: string; readonly etag: string } | undefined
  return {
    ...openapiRoute,
    onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      limitAddress(request, reply)
      done()
    },
    handler: (request, reply) => {
      document ??= serialize(buildDocument(context, [...routes, openapiRoute]))
      const { body, etag } = document
      // Tools that run in pages of other sites read it too; there is nothing secret in it.
      reply.headers({ etag, 'cache-control': cacheControl, 'access-control-allow-origin': '*' })
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
      return reply.type('application/json; charset=utf-8').send(body)
    },
  }
}

function serialize(document: ReturnType<typeof buildDocument>) {
  const body = JSON.stringify(document)
  return { body, etag: etagOf(body) }
}
