import type { DocumentContext, Endpoint, Operation } from '../routing/document.ts'
import { errorResponses } from './error-responses.ts'
import { headerReferences } from './headers.ts'
import { curl } from './samples.ts'

/** `GET /openapi.json`. */
export function describeOpenapi(context: DocumentContext, endpoint: Endpoint): Operation {
  return describePage(context, {
    endpoint,
    operationId: 'getOpenapi',
    summary: 'This document',
    description: 'The OpenAPI 3.1 document of the service. It needs no key. Requests are limited per address.',
    type: 'application/json',
    schema: { type: 'object', description: 'An OpenAPI 3.1 document.' },
  })
}

/** `GET /docs`. */
export function describeDocs(context: DocumentContext, endpoint: Endpoint): Operation {
  return describePage(context, {
    endpoint,
    operationId: 'getDocs',
    summary: 'Documentation as a web page',
    description:
      'Guides and the reference, as a view of the web page of this service. `/docs/<page>` is one page of it, such as `/docs/lend`. It needs JavaScript and loads nothing from other hosts.',
    type: 'text/html',
    schema: { type: 'string', description: 'A page.' },
  })
}

type Page = Pick<Operation, 'operationId' | 'summary' | 'description'> & {
  readonly endpoint: Endpoint
  readonly type: string
  readonly schema: { readonly type: string; readonly description: string }
}

function describePage(context: DocumentContext, { endpoint, type, schema, ...about }: Page): Operation {
  return {
    ...about,
    tags: ['Documentation'],
    security: [],
    responses: {
      200: {
        description: schema.description,
        headers: headerReferences('x-request-id', 'RateLimit', 'RateLimit-Policy', 'ETag', 'Cache-Control'),
        content: { [type]: { schema } },
      },
      304: {
        description: 'The document matches `If-None-Match`. There is no body.',
        headers: headerReferences('x-request-id', 'RateLimit', 'RateLimit-Policy', 'ETag', 'Cache-Control'),
      },
      ...errorResponses(context, { endpoint, codes: [] }),
    },
    'x-codeSamples': [curl(`curl "$TALLYSTICK_URL${endpoint.path}"`)],
  }
}
