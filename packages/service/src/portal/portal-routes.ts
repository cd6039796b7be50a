import { TallystickError } from '@tallystick/core'
import { type LimitAddress, matchesEtag } from '@tallystick/http'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Route } from '../routing/route.ts'
import { docsRoute, sendDocsWithoutPage } from './docs-route.ts'
import type { PortalFile, PortalFiles } from './portal-files.ts'
import type { PortalInfo } from './portal-info.ts'
import { createTestWalletRoute, type TestWallet } from './test-wallet-route.ts'

export type PortalParts = {
  /** Undefined if the page was not built. */
  readonly files: PortalFiles | undefined
  readonly info: PortalInfo
  /** Only in a sandbox. */
  readonly testWallet?: TestWallet | undefined
}

// Each is a view of the page, which reads the path itself. A change here is one in the page's `parts/place.ts`.
const viewUrls = ['/', '/lend', '/history', '/wallet', '/wallet/:owner', '/verify', '/explorer']
const docsPageUrl = '/docs/:page'

// The page loads everything from this origin and needs no inline code, frame or form.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Creates the routes of the web page: its files and `/portal.json`. All of them are public. */
export function createPortalRoutes({
  parts: { files, info, testWallet },
  limitAddress,
}: {
  readonly parts: PortalParts
  readonly limitAddress: LimitAddress
}): readonly Route[] {
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    limitAddress(request, reply)
    done()
  }
  const infoText = JSON.stringify(info)
  const sendInfo: RouteHandlerMethod = (_, reply) =>
    reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(infoText)
  return [
    { method: 'GET', url: '/portal.json', onRequest, handler: sendInfo },
    ...(testWallet ? [createTestWalletRoute(testWallet)] : []),
    ...(files ? createFileRoutes(files, onRequest) : createDocsRoutes({ onRequest, handler: sendDocsWithoutPage })),
  ]
}

function createFileRoutes(files: PortalFiles, onRequest: Route['onRequest']): readonly Route[] {
  const handler: RouteHandlerMethod = (request, reply) => sendPortalFile(files, { request, reply })
  const routes = [...viewUrls, '/assets/:name'].map((url) => ({ method: 'GET', url, onRequest, handler }) as const)
  return [...routes, ...createDocsRoutes({ onRequest, handler })]
}

function createDocsRoutes(handlers: Pick<Route, 'onRequest' | 'handler'>): readonly Route[] {
  return [
    { ...docsRoute, ...handlers },
    { method: 'GET', url: docsPageUrl, ...handlers },
  ]
}

/** Sends the page or one of its assets, in the smallest encoding that the client accepts. Throws `not_found`. */
export function sendPortalFile(
  files: PortalFiles,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): FastifyReply {
  const { name } = request.params as { readonly name?: string }
  const file = files.get(name === undefined ? '/' : `/assets/${name}`)
  if (!file) throw fileNotFound()
  const { variant, encoding } = choose(file, request.headers['accept-encoding'])
  reply.headers({
    etag: variant.etag,
    vary: 'accept-encoding',
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': contentSecurityPolicy,
  })
  if (matchesEtag(request.headers['if-none-match'], variant.etag)) return reply.code(304).send()
  if (encoding) reply.header('content-encoding', encoding)
  return reply.type(file.contentType).send(variant.body)
}

/** Returns the smallest variant the client accepts. Brotli is always smaller than gzip here. */
function choose(file: PortalFile, acceptEncoding: string | string[] | undefined) {
  const accepted = new Set(
    String(acceptEncoding ?? '')
      .toLowerCase()
      .split(',')
      .map((coding) => coding.trim())
      .filter((coding) => !/;\s*q=0(\.0*)?$/.test(coding))
      .map((coding) => coding.replace(/;.*/, '').trim()),
  )
  for (const encoding of ['br', 'gzip'] as const) {
    const variant = file[encoding]
    if (variant && accepted.has(encoding)) return { variant, encoding }
  }
  return { variant: file.plain, encoding: undefined }
}

function fileNotFound(): TallystickError {
  return new TallystickError({
    code: 'not_found',
    message: 'The page has no such file. If the service was updated while the page was open, reload the page.',
    retryable: false,
  })
}
