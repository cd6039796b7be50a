import type { ErrorCode } from '@tallystick/core'
import { listInWords } from '@tallystick/http'
import type { DocumentContext, Endpoint, Example, MediaType, Operation } from '../routing/document.ts'
import { errorResponses } from './error-responses.ts'
import { type HeaderName, headerReferences } from './headers.ts'
import { type SchemaName, schemaReference } from './schemas.ts'

type Description = Pick<Operation, 'operationId' | 'summary' | 'description' | 'parameters'> & {
  readonly tag: string
  /** Description and content of a successful response. */
  readonly response: string
  readonly content: Readonly<Record<string, MediaType>>
  /** Description of a 304, if there is one. */
  readonly notModified?: string | undefined
  /** Headers of a response besides those of every endpoint. */
  readonly headers?: readonly HeaderName[] | undefined
  /** Errors besides those of every endpoint. */
  readonly codes: readonly ErrorCode[]
  readonly samples: Operation['x-codeSamples']
}

/** Describes a GET endpoint by what is particular to it. */
export function describeGet(
  { context, endpoint }: { readonly context: DocumentContext; readonly endpoint: Endpoint },
  description: Description,
): Operation {
  const { tag, response, content, notModified, headers = [], codes, samples, ...about } = description
  const etag = notModified === undefined ? [] : (['ETag'] as const)
  const all: HeaderName[] = ['x-request-id', 'RateLimit', 'RateLimit-Policy', ...etag, 'Cache-Control', ...headers]
  const withoutFile = all.filter((name) => name !== 'Content-Disposition')
  const names = (about.parameters ?? []).flatMap((parameter) => (parameter.in === 'query' ? [parameter.name] : []))
  const described = { ...endpoint, parameters: listInWords(names), mediaTypes: Object.keys(content) }
  return {
    ...about,
    tags: [tag],
    security: endpoint.scope ? [{ apiKey: [] }] : [],
    responses: {
      200: { description: response, headers: headerReferences(...all), content },
      ...(notModified && { 304: { description: notModified, headers: headerReferences(...withoutFile) } }),
      ...errorResponses(context, { endpoint: described, codes }),
    },
    'x-codeSamples': samples,
  }
}

/** Returns the content of a JSON response. */
export function jsonContent(
  schema: SchemaName,
  examples: Readonly<Record<string, Example>>,
): { readonly 'application/json': MediaType } {
  return { 'application/json': { schema: schemaReference(schema), examples } }
}
