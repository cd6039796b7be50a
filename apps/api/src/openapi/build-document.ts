import { describeData, describeGraphql } from './describe-data.ts'
import { describeNotes } from './describe-notes.ts'
import { describeDocs, describeOpenapi } from './describe-pages.ts'
import { describeRate } from './describe-rate.ts'
import { describeSubgraph, describeSubgraphGet } from './describe-subgraph.ts'
import type { DocumentContext, OpenapiDocument } from './document.ts'
import { headers } from './headers.ts'
import { introduction } from './introduction.ts'
import { publishedSchemas } from './schemas.ts'

// That of package.json; a test compares.
const version = '0.1.0'

/** The OpenAPI document of a service, from the schemas that validate what it takes and sends. */
export function buildDocument(context: DocumentContext): OpenapiDocument {
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
    paths: {
      '/notes': { get: describeNotes(context) },
      '/data': { post: describeData(context) },
      '/graphql': { post: describeGraphql(context) },
      '/rate': { get: describeRate(context) },
      '/subgraphs/{chainid}': { get: describeSubgraphGet(context), post: describeSubgraph(context) },
      '/openapi.json': { get: describeOpenapi(context) },
      '/docs': { get: describeDocs(context) },
    },
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
