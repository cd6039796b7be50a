import { etagOf } from '@tallystick/base'
import { matchesEtag } from '@tallystick/http'
import type { DocumentChains } from '../routing/document.ts'
import type { Route } from '../routing/route.ts'
import { buildDocument } from './build-document.ts'
import { describeGet } from './describe-operation.ts'
import { curl } from './samples.ts'

const describeOpenapi = describeGet(({ endpoint }) => ({
  operationId: 'getOpenapi',
  tag: 'Documentation',
  summary: 'This document',
  description: 'The OpenAPI 3.1 document of the service. It needs no key. Requests are limited per address.',
  response: 'An OpenAPI 3.1 document.',
  content: { 'application/json': { schema: { type: 'object', description: 'An OpenAPI 3.1 document.' } } },
  notModified: 'The document matches `If-None-Match`. There is no body.',
  codes: [],
  samples: [curl(`curl "$TALLYSTICK_URL${endpoint.path}"`)],
}))

/** Route of the document, without its handler. */
export const openapiRoute = {
  method: 'GET',
  url: '/openapi.json',
  openTo: 'own-origin',
  describe: describeOpenapi,
} as const

// Long enough to spare us a reader's clicks, short enough that a new version is seen soon.
const cacheControl = 'public, max-age=300'

/** Creates `GET /openapi.json`. The document describes `routes` and itself, and is built on the first request. */
export function createOpenapiRoute(routes: readonly Route[], chains: DocumentChains): Route {
  let body: string | undefined
  let etag: string | undefined
  return {
    ...openapiRoute,
    handler: (request, reply) => {
      body ??= JSON.stringify(buildDocument(chains, [...routes, openapiRoute]))
      etag ??= etagOf(body)
      // Tools that run in pages of other sites read it too; there is nothing secret in it.
      reply.headers({ etag, 'cache-control': cacheControl, 'access-control-allow-origin': '*' })
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
      return reply.type('application/json; charset=utf-8').send(body)
    },
  }
}
