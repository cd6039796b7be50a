import { findMediaType, jsonType } from '@tallystick/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PortalFiles } from './portal-files.ts'

/**
 * Sends a page with a way home, if the request is that of a browser: GET or HEAD, and `Accept` prefers HTML to JSON.
 * Returns whether it did. A program sends no `Accept` or any type, and gets the error as JSON.
 */
export type SendWrongPath = (request: FastifyRequest, reply: FastifyReply, status: number) => boolean

/** Creates the response of a browser's request whose path names nothing. The page never contains the path. */
export function createSendWrongPath(files: PortalFiles | undefined): SendWrongPath {
  const text = formatPage(files)
  return ({ method, headers }, reply, status) => {
    if (method !== 'GET' && method !== 'HEAD') return false
    if (findMediaType(headers.accept, [jsonType, 'text/html']) !== 'text/html') return false
    const vary = [reply.getHeader('vary') ?? [], 'accept'].flat().join(', ')
    reply.code(status).headers({ 'cache-control': 'no-store', 'content-security-policy': contentSecurityPolicy, vary })
    reply.type('text/html; charset=utf-8').send(text)
    return true
  }
}

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Formats the page, in the look of the product if that was built. */
function formatPage(files: PortalFiles | undefined): string {
  const paths = [...(files?.keys() ?? [])]
  const style = paths.find((path) => /^\/assets\/style-\w+\.css$/.test(path))
  const icon = paths.find((path) => /^\/assets\/icon-\w+\.svg$/.test(path))
  const home = files
    ? '<p class="row"><a class="primary" href="/">Notes on offer</a> <a href="/docs">Documentation</a></p>'
    : '<p><a href="/docs">Documentation</a></p>'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Page not found · Tallystick</title>
${icon ? `<link rel="icon" type="image/svg+xml" href="${icon}">\n` : ''}${style ? `<link rel="stylesheet" href="${style}">\n` : ''}</head>
<body>
${files ? `<header class="top-bar"><a class="brand" href="/" aria-label="Tallystick, notes on offer">${icon ? `<img class="mark" src="${icon}" alt="">` : ''}<span>Tallystick</span></a></header>\n` : ''}<main>
<div class="no-service grid">
<h1>There is no page at this address</h1>
<p class="soft">The link may be mistyped or old. Addresses are case-sensitive and have no slash at the end.</p>
${home}
<p class="hint">Is it a request of a program? The endpoints of the API are in <a href="/openapi.json">/openapi.json</a>. Errors are JSON unless <code>Accept</code> prefers HTML.</p>
</div>
</main>
</body>
</html>
`
}
