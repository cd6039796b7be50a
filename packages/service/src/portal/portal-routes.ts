import type { PortalInfo } from '@tallystick/core'
import { matchesEtag, refusal } from '@tallystick/http'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Address } from 'viem'
import type { Route } from '../routing/route.ts'
import { docsRoute, sendDocsWithoutPage } from './docs-route.ts'
import { createManifestRoute } from './manifest-route.ts'
import type { PortalFile, PortalFiles } from './portal-files.ts'
import type { SendWrongPath } from './wrong-path-page.ts'

/** Wallet of a sandbox. It signs for its account without asking: the page asks the visitor first. */
export type TestWallet = {
  readonly address: Address
  /** Handles one JSON-RPC call on a chain and returns the response. Returns undefined if there is no such chain. */
  readonly answer: (chainId: string, call: unknown) => Promise<object> | undefined
}

export type PortalParts = {
  /** Undefined if the page was not built. */
  readonly files: PortalFiles | undefined
  readonly info: PortalInfo
  /** Only in a sandbox. */
  readonly testWallet?: TestWallet | undefined
}

export const testWalletPath = '/sandbox/wallet'

// Each is a view of the page, which reads the path itself. A change here is one in the page's `parts/place.ts`.
const viewUrls = ['/', '/lend', '/history', '/wallet', '/wallet/:owner', '/verify', '/explorer']
const docsPageUrl = '/docs/:page'

// The page loads everything from this origin and needs no inline code, frame or form.
const contentSecurityPolicy = (frameAncestors = "'none'") =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors}`,
  ].join('; ')

const unframedPolicy = contentSecurityPolicy()

/** Creates the routes of the web page: its files and `/portal.json`. */
export function createPortalRoutes(
  { files, info, testWallet }: PortalParts,
  sendWrongPath: SendWrongPath,
): readonly Route[] {
  const infoText = JSON.stringify(info)
  const sendInfo: RouteHandlerMethod = (_, reply) =>
    reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(infoText)
  const pagePolicy = contentSecurityPolicy(info.frameAncestors?.join(' '))
  const sendFile: RouteHandlerMethod | undefined =
    files &&
    ((request, reply) => {
      const isMissing = !files.has(pathOf(request))
      return isMissing && sendWrongPath(request, reply, 404)
        ? reply
        : sendPortalFile(files, { request, reply, pagePolicy })
    })
  const sendDocs = sendFile ?? sendDocsWithoutPage
  return [
    createPageRoute('/portal.json', sendInfo),
    ...(files && info.frameAncestors ? [createManifestRoute(files)] : []),
    ...(testWallet ? [createTestWalletRoute(testWallet)] : []),
    ...(sendFile ? [...viewUrls, '/assets/:name'].map((url) => createPageRoute(url, sendFile)) : []),
    { ...docsRoute, handler: sendDocs },
    createPageRoute(docsPageUrl, sendDocs),
  ]
}

function createPageRoute(url: string, handler: RouteHandlerMethod): Route {
  return { method: 'GET', url, openTo: 'own-origin', handler }
}

/** Creates the JSON-RPC of the test wallet, one URL per chain. Only a sandbox has it. */
function createTestWalletRoute({ answer }: TestWallet): Route {
  const handler: RouteHandlerMethod = async (request, reply) => {
    const { chainid } = request.params as { readonly chainid: string }
    const response = await answer(chainid, request.body)
    const name = JSON.stringify(chainid.slice(0, 20))
    if (!response) throw refusal('not_found', `The test wallet has no chain ${name}.`)
    return reply.header('cache-control', 'no-store').send(response)
  }
  return { method: 'POST', url: `${testWalletPath}/:chainid`, handler }
}

const missingFile = 'The page has no such file. If the service was updated while the page was open, reload the page.'

type SendOptions = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Content-Security-Policy of the page. By default it cannot be framed. */
  readonly pagePolicy?: string | undefined
}

/** Sends the page or one of its assets, in the smallest encoding that the client accepts. Throws `not_found`. */
export function sendPortalFile(files: PortalFiles, { request, reply, pagePolicy }: SendOptions): FastifyReply {
  const path = pathOf(request)
  const file = files.get(path)
  if (!file) throw refusal('not_found', missingFile)
  const { variant, encoding } = choose(file, request.headers['accept-encoding'])
  reply.headers({
    etag: variant.etag,
    vary: 'accept-encoding',
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': path === '/' ? (pagePolicy ?? unframedPolicy) : unframedPolicy,
  })
  if (matchesEtag(request.headers['if-none-match'], variant.etag)) return reply.code(304).send()
  if (encoding) reply.header('content-encoding', encoding)
  return reply.type(file.contentType).send(variant.body)
}

/** Returns the path of the file that a request asks for. Every view is the same file. */
function pathOf(request: FastifyRequest): string {
  const { name } = request.params as { readonly name?: string }
  return name === undefined ? '/' : `/assets/${name}`
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
