import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LimitAddress } from '../http/address-limit.ts'
import { etagOf } from '../http/etag-of.ts'
import { matchesEtag } from '../http/matches-etag.ts'
import type { Route } from '../route.ts'
import { buildDocument } from './build-document.ts'
import { describeDocs, describeOpenapi } from './describe-pages.ts'
import { renderDocs } from './docs/render-docs.ts'
import type { DocumentChains, OpenapiDocument } from './document.ts'

type Page = {
  readonly type: string
  readonly body: string
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

/** Routes of the document and its page, without handlers. */
export const openapiRoutes = [
  { method: 'GET', url: '/openapi.json', describe: describeOpenapi },
  { method: 'GET', url: '/docs', describe: describeDocs },
] as const

/** Creates `GET /openapi.json` and `GET /docs`. Both are rendered from `routes` and from themselves, on the first request. */
export function createOpenapiRoutes({
  routes,
  context,
  limitAddress,
}: {
  readonly routes: readonly Route[]
  readonly context: DocumentChains
  readonly limitAddress: LimitAddress
}): readonly Route[] {
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    limitAddress(request, reply)
    done()
  }
  let pages: ReturnType<typeof renderPages> | undefined
  return openapiRoutes.map((route) => ({
    ...route,
    onRequest,
    handler: (request, reply) => {
      pages ??= renderPages(buildDocument(context, [...routes, ...openapiRoutes]))
      return send(pages[route.url], request, reply)
    },
  }))
}

function renderPages(document: OpenapiDocument) {
  return { '/openapi.json': documentPage(document), '/docs': docsPage(document) }
}

// Long enough to spare us a reader's clicks, short enough that a new version is seen soon.
const cacheControl = 'public, max-age=300'

function send({ type, body, etag, headers }: Page, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ ...headers, etag, 'cache-control': cacheControl })
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(type).send(body)
}

function documentPage(document: OpenapiDocument): Page {
  const body = JSON.stringify(document)
  // Tools that run in pages of other sites read it too; there is nothing secret in it.
  const headers = { 'access-control-allow-origin': '*' }
  return { type: 'application/json; charset=utf-8', body, etag: etagOf(body), headers }
}

function docsPage(document: OpenapiDocument): Page {
  const { html, style } = renderDocs(document)
  const styleHash = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return {
    type: 'text/html; charset=utf-8',
    body: html,
    etag: etagOf(html),
    headers: { 'content-security-policy': policy },
  }
}
