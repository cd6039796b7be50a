import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LimitAddress } from '../http/address-limit.ts'
import { namesTag } from '../http/names-tag.ts'
import { renderDocs } from './docs/render-docs.ts'
import type { OpenapiDocument } from './document.ts'

type Page = {
  readonly type: string
  readonly body: string
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

/** `GET /openapi.json` and `GET /docs`: made once, the same for everybody. */
export function registerOpenapiRoutes(
  app: FastifyInstance,
  { document, limitAddress }: { readonly document: OpenapiDocument; readonly limitAddress: LimitAddress },
): void {
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    limitAddress(request, reply)
    done()
  }
  const serve = (url: string, page: Page) => app.get(url, { onRequest }, (request, reply) => send(page, request, reply))
  serve('/openapi.json', documentPage(document))
  serve('/docs', docsPage(document))
}

// Long enough to spare us a reader's clicks, short enough that a new version is seen soon.
const cacheControl = 'public, max-age=300'

function send({ type, body, etag, headers }: Page, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ ...headers, etag, 'cache-control': cacheControl })
  if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
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

function etagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
}
