import type { OpenapiDocument } from '@tallystick/core'
import { release } from '../release.ts'
import type { DocumentChains, DocumentContext } from '../routing/document.ts'
import { formatAllow, listEndpoints, type Route } from '../routing/route.ts'
import { headers } from './headers.ts'
import { publishedSchemas } from './schemas.ts'

type DocumentedRoute = Omit<Route, 'handler' | 'onRequest'>

/** Builds the OpenAPI document from the routes and from the schemas that validate requests and responses. */
export function buildDocument(chains: DocumentChains, routes: readonly DocumentedRoute[]): OpenapiDocument {
  const context = { ...chains, endpoints: listEndpoints(routes) }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tallystick',
      version: release,
      summary: 'Signed treasury notes, protocol data and rates over one HTTPS API.',
      description: introduction,
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/', description: 'The server of this document.' }],
    tags: [
      { name: 'Notes', description: 'The signed treasury notes of the current period.' },
      { name: 'Data', description: 'Positions, earnings and protocol metrics.' },
      { name: 'Rate', description: 'Current rates.' },
      { name: 'History', description: 'Past coupons and rates, and the calendar of periods.' },
      { name: 'Events', description: 'New notes, rates and states, as they happen.' },
      { name: 'Chains', description: 'The chains of the service and their contracts.' },
      { name: 'Log', description: 'The public log of everything that was signed.' },
      { name: 'Subgraph', description: 'The index behind `/data`, as a public GraphQL endpoint.' },
      { name: 'Documentation', description: 'This documentation.' },
    ],
    paths: describePaths(context, routes),
    components: {
      schemas: publishedSchemas(context.dataChainIds),
      headers,
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'An API key from the operator of the service. Its scopes are `notes`, `data` and `rate`.',
        },
      },
    },
  }
}

function describePaths(context: DocumentContext, routes: readonly DocumentedRoute[]): OpenapiDocument['paths'] {
  const describeUrl = (url: string) => {
    const operations = routes.flatMap(({ describe, ...route }) => {
      if (!describe || route.url !== url) return []
      const endpoint = { path: url, allow: formatAllow(routes, url), scope: route.scope }
      return [[route.method.toLowerCase(), describe(context, endpoint)] as const]
    })
    return Object.fromEntries(operations)
  }
  return Object.fromEntries(
    context.endpoints.map((url) => [url.replaceAll(/:(\w+)/g, '{$1}').replaceAll('*', '{path}'), describeUrl(url)]),
  )
}

/** Description of the OpenAPI document in Markdown. It covers what all endpoints have in common. */
const introduction = `A treasury-note protocol lends on-chain at a fixed coupon. Its pool contract accepts a note only with a signature that is valid for one New York period. This service signs the day’s notes, answers queries about positions and earnings, and publishes the rates.

## Start

Get a key from the operator. The examples read it and the address of the service from the environment:

\`\`\`sh
export TALLYSTICK_URL=https://localhost:8443
export TALLYSTICK_KEY=tsk_test_y1R4vmrvfPgjQeX0YqTlcoqH2GdH3Z2kCisZ
\`\`\`

The sandbox (\`npm start\`) prints both. It has its own certificate authority: set \`CURL_CA_BUNDLE=.tallystick/tls/ca.pem\` for curl and \`NODE_EXTRA_CA_CERTS\` to the same file for Node.

## Keys

Send the key in the \`x-api-key\` header, over HTTPS only. Plain HTTP is rejected, not redirected. A key that is missing, malformed, unknown, revoked or expired is a 403 \`invalid_api_key\`. The key is checked before the rest of the request. Keep it on a server: a key in a web page can be read by every visitor. Pages of other origins can use a key only if the operator allows their origin.

## Numbers

Timestamps, rates and every integer that can exceed 2^53 are decimal strings. Timestamps are Unix seconds. Rates are basis points per 360-day year: \`"369"\` is 3.69 %. The unit of each field is given below.

## Rate limits

\`RateLimit-Policy\` gives the number of requests per minute of a key or an address, and \`RateLimit\` the number that remains. Responses to a key without a limit have neither. A request beyond the limit is a 429 with \`Retry-After\`.

## Failures

Every error response is JSON with \`message\`, \`code\`, \`requestId\` and sometimes \`details\`. Programs should use \`code\`: the message is for people and may change. Error responses are never cached.`
