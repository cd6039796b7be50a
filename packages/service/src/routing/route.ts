import type { EncodeError } from '@tallystick/http'
import type { RouteHandlerMethod, RouteShorthandOptions } from 'fastify'
import type { DescribeOperation, RouteScope } from './document.ts'

/** Declaration of a route of the public listener. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'OPTIONS'
  readonly url: string
  /** Scope that the API key needs; with `any` the handler checks it. A route without one needs no key. */
  readonly scope?: RouteScope | undefined
  /** Whether visitors of the page may use it without a key, if the service lets them in. */
  readonly isOpenToVisitors?: boolean | undefined
  /** Route without a key whose requests are limited by address: for pages of any origin, or of this service only. */
  readonly openTo?: 'any-origin' | 'own-origin' | undefined
  /** Media types of a successful response to a request with a key; JSON by default. */
  readonly mediaTypes?: readonly string[] | undefined
  /** Encodes the errors of the route, if their format is not that of all others. */
  readonly encodeError?: EncodeError | undefined
  /** Describes the route in the OpenAPI document. A route without one is not part of the API. */
  readonly describe?: DescribeOperation | undefined
  /** Another URL replaces this one. It is the last of every list. */
  readonly isDeprecated?: boolean | undefined
  readonly onRequest?: RouteShorthandOptions['onRequest'] | undefined
  readonly handler: RouteHandlerMethod
}

/** Lists the URLs of the API, in the order of their declaration, deprecated ones last. */
export function listEndpoints(routes: readonly Pick<Route, 'url' | 'describe' | 'isDeprecated'>[]): readonly string[] {
  const described = routes.filter(({ describe }) => describe)
  const ordered = described.toSorted((a, b) => Number(a.isDeprecated ?? false) - Number(b.isDeprecated ?? false))
  return [...new Set(ordered.map(({ url }) => url))]
}

/** Returns the `Allow` header of a URL. Fastify adds HEAD to each GET. */
export function formatAllow(routes: readonly Pick<Route, 'method' | 'url'>[], url: string): string {
  const methods = routes.filter((route) => route.url === url).map(({ method }) => method)
  return methods.map((method) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ')
}
