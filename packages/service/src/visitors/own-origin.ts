import type { IncomingHttpHeaders } from 'node:http'
import { refusal } from '@tallystick/http'

/**
 * Returns the origin of this service as the request names it. A browser names the one that its user sees, and so does a proxy
 * that passes on `Host`.
 */
function ownOriginOf(headers: IncomingHttpHeaders): string {
  // HTTP/2 has the pseudo-header. TLS ends here or at a trusted proxy, so the scheme is known.
  const host = String(headers[':authority'] ?? headers.host ?? '').toLowerCase()
  return `https://${host.replace(/:443$/, '')}`
}

/**
 * Returns the origin of this service. Throws if the browser says that the request is not from its own page. `isCertain`
 * rejects also a request that says nothing.
 */
export function assertOwnOrigin(headers: IncomingHttpHeaders, { isCertain }: { readonly isCertain: boolean }): string {
  const own = ownOriginOf(headers)
  const { origin, 'sec-fetch-site': site } = headers
  const isForeign = (site !== undefined && site !== 'same-origin') || (origin !== undefined && origin !== own)
  const isSilent = site === undefined && origin === undefined
  if (isForeign || (isCertain && isSilent)) throw foreign()
  return own
}

function foreign() {
  return refusal(
    'visitor_not_allowed',
    'Only the web page of this service may do this without an API key. Operator: a proxy must pass on the Host header with its port.',
  )
}
