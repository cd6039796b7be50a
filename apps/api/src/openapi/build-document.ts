import { formatAllow, listEndpoints, type Route } from '../route.ts'
import type { DocumentChains, DocumentContext, OpenapiDocument } from './document.ts'
import { headers } from './headers.ts'
import { introduction } from './introduction.ts'
import { publishedSchemas } from './schemas.ts'

// That of package.json; a test compares.
const version = '0.1.0'

type DocumentedRoute = Omit<Route, 'handler' | 'onRequest'>

/** Builds the OpenAPI document from the routes and from the schemas that validate requests and responses. */
export function buildDocument(chains: DocumentChains, routes: readonly DocumentedRoute[]): OpenapiDocument {
  const context = { ...chains, endpoints: listEndpoints(routes) }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tallystick',
      version,
      summary: 'Signed treasury notes, protocol data and rates over one HTTPS API.',
      description: introduction,
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/', description: 'Where this document came from.' }],
    tags: [
      { name: 'Notes', description: 'The day’s treasury notes, signed.' },
      { name: 'Data', description: 'Positions, earnings and whatever else the chain knows.' },
      { name: 'Rate', description: 'What a loan brings now.' },
      { name: 'Subgraph', description: 'The index behind `/data`, without a key.' },
      { name: 'Documentation', description: 'What you are reading.' },
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
          description: 'The key the operator of the service gave you. It has scopes: `notes`, `data`, `rate`.',
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
  return Object.fromEntries(context.endpoints.map((url) => [url.replaceAll(/:(\w+)/g, '{$1}'), describeUrl(url)]))
}
