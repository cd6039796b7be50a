import type { RouteHandlerMethod } from 'fastify'
import { describeGet } from '../openapi/describe-operation.ts'
import { curl } from '../openapi/samples.ts'

const describeDocs = describeGet(({ endpoint }) => ({
  operationId: 'getDocs',
  tag: 'Documentation',
  summary: 'Documentation as a web page',
  description:
    'Guides, the reference and the pages for operators, as a view of the web page of this service. `/docs/<page>` is one page of it, such as `/docs/lend`. It needs JavaScript and loads nothing from other hosts.',
  response: 'A page.',
  content: { 'text/html': { schema: { type: 'string', description: 'A page.' } } },
  notModified: 'The document matches `If-None-Match`. There is no body.',
  codes: [],
  samples: [curl(`curl "$TALLYSTICK_URL${endpoint.path}"`)],
}))

/** Route of the documentation, without its handler. It is a view of the page. */
export const docsRoute = { method: 'GET', url: '/docs', openTo: 'own-origin', describe: describeDocs } as const

const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Docs · Tallystick</title>
</head>
<body>
<main>
<h1>Tallystick</h1>
<p>The documentation is part of the web page of this service, which was not built. The operator builds it with <code>npm run portal</code> and restarts the service.</p>
<p>The reference of this API, as an OpenAPI document: <a href="/openapi.json">/openapi.json</a>.</p>
</main>
</body>
</html>
`

/** Sends what can be said about the documentation if the page was not built. */
export const sendDocsWithoutPage: RouteHandlerMethod = (_, reply) =>
  reply
    .headers({
      'cache-control': 'no-cache',
      'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    })
    .type('text/html; charset=utf-8')
    .send(text)
