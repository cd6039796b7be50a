import type { MediaType, OpenapiDocument, OpenapiOperation, OpenapiResponse } from '@tallystick/core'

export type Schemas = OpenapiDocument['components']['schemas']

export type Endpoint = { readonly method: string; readonly path: string; readonly operation: OpenapiOperation }

/** Returns all endpoints in the order of the document. */
export function listEndpoints({ paths }: Pick<OpenapiDocument, 'paths'>): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** Returns the endpoints of a tag. */
export function listTagEndpoints(document: Pick<OpenapiDocument, 'paths'>, tag: string): readonly Endpoint[] {
  return listEndpoints(document).filter(({ operation }) => operation.tags.includes(tag))
}

export type Failure = {
  readonly code: string
  readonly status: string
  readonly meaning: string
  readonly example: unknown
}

/** Returns the errors of an operation, by status and code. */
export function listFailures({ responses }: Pick<OpenapiOperation, 'responses'>): readonly Failure[] {
  return Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([status, { content }]) =>
      Object.entries(examplesOf(content)).map(([code, { summary, value }]) => ({
        code,
        status,
        meaning: summary,
        example: value,
      })),
    )
}

/** Returns the examples of a response by code. A GraphQL endpoint sends some errors in a media type of its own only. */
function examplesOf(content: OpenapiResponse['content'] = {}): NonNullable<MediaType['examples']> {
  const { 'application/json': json, ...others } = content
  return Object.assign({}, ...Object.values(others).map(({ examples }) => examples), json?.examples)
}

/** Returns every error of the service once, by status. */
export function listAllFailures(document: Pick<OpenapiDocument, 'paths'>): readonly Failure[] {
  const byCode = new Map<string, Failure>()
  for (const { operation } of listEndpoints(document)) {
    for (const failure of listFailures(operation)) if (!byCode.has(failure.code)) byCode.set(failure.code, failure)
  }
  return [...byCode.values()].toSorted((a, b) => Number(a.status) - Number(b.status))
}

/** Fetches the document. Rejects if the service does not answer with one. */
export async function fetchDocument(): Promise<OpenapiDocument> {
  const response = await fetch('/openapi.json')
  if (!response.ok) throw new Error(`/openapi.json responded with status ${response.status}.`)
  return (await response.json()) as OpenapiDocument
}
