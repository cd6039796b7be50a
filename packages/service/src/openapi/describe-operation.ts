import type { ErrorCode, MediaType, OpenapiOperation } from '@tallystick/core'
import { listInWords } from '@tallystick/http'
import type { DescribeOperation, DocumentContext, Endpoint } from '../routing/document.ts'
import { errorResponses } from './error-responses.ts'
import { type HeaderName, headerReferences } from './headers.ts'
import { type SchemaName, schemaReference } from './schemas.ts'

export type Description = Pick<
  OpenapiOperation,
  'operationId' | 'summary' | 'description' | 'parameters' | 'requestBody'
> & {
  readonly tag: string
  /** Scope in the examples of errors, if the key may have one of several. */
  readonly scope?: Endpoint['scope']
  /** Description and content of a successful response. */
  readonly response: string
  readonly content: Readonly<Record<string, MediaType>>
  /** Description of a 304, if there is one. */
  readonly notModified?: string | undefined
  /** Headers of a response besides those of every endpoint. */
  readonly headers?: readonly HeaderName[] | undefined
  /** Errors besides those of every endpoint. */
  readonly codes: readonly ErrorCode[]
  readonly samples: OpenapiOperation['x-codeSamples']
}

type Place = { readonly context: DocumentContext; readonly endpoint: Endpoint }
type Described = Place & {
  /** Chain of the examples. */
  readonly chainId: number
}

/** Creates the description of a GET endpoint from what is particular to it. */
export function describeGet(describe: (described: Described) => Description): DescribeOperation {
  return (context, endpoint) => {
    const description = describe({ context, endpoint, chainId: context.chainIds[0] ?? 324 })
    const { notModified, headers = [] } = description
    const etag = notModified === undefined ? [] : (['ETag'] as const)
    return describeOperation({ ...description, headers: [...etag, 'Cache-Control', ...headers] }, { context, endpoint })
  }
}

/** Describes an endpoint by what is particular to it. */
export function describeOperation(description: Description, { context, endpoint }: Place): OpenapiOperation {
  const { tag, response, content, notModified, headers = [], codes, samples, ...rest } = description
  const { scope = endpoint.scope, ...about } = rest
  const all: HeaderName[] = ['x-request-id', 'RateLimit', 'RateLimit-Policy', ...headers]
  const withoutFile = all.filter((name) => name !== 'Content-Disposition')
  const names = (about.parameters ?? []).flatMap((parameter) => (parameter.in === 'query' ? [parameter.name] : []))
  const described = { ...endpoint, scope, parameters: listInWords(names), mediaTypes: Object.keys(content) }
  return {
    ...about,
    tags: [tag],
    security: scope ? [{ apiKey: [] }] : [],
    responses: {
      200: { description: response, headers: headerReferences(...all), content },
      ...(notModified && { 304: { description: notModified, headers: headerReferences(...withoutFile) } }),
      ...errorResponses(context, { endpoint: described, codes }),
    },
    'x-codeSamples': samples,
  }
}

/** Returns JSON content. */
export function jsonContent(schema: SchemaName, examples: NonNullable<MediaType['examples']>): Description['content'] {
  return { 'application/json': { schema: schemaReference(schema), examples } }
}
