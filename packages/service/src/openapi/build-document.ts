import { release } from '../release.ts'
import type { DocumentChains, DocumentContext, OpenapiDocument } from '../routing/document.ts'
import { formatAllow, listEndpoints, type Route } from '../routing/route.ts'
import { headers } from './headers.ts'
import { introduction } from './introduction.ts'
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
      schemas: publishedSchemas(context),
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
