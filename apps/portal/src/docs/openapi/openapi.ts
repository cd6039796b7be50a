/** JSON Schema, limited to the keywords of the service's document. */
export type JsonSchema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly 'x-unit'?: string
}

export type Schemas = Readonly<Record<string, JsonSchema>>

export type Parameter = {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
}

export type MediaType = {
  readonly schema: JsonSchema
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

export type Response = {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, MediaType>>
}

export type Operation = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly deprecated?: true
  readonly security: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly description: string; readonly content: Readonly<Record<string, MediaType>> }
  readonly responses: Readonly<Record<string, Response>>
  readonly 'x-codeSamples': readonly { readonly lang: string; readonly source: string }[]
}

/** `GET /openapi.json`, limited to the members that the documentation shows. */
export type OpenapiDocument = {
  readonly openapi: string
  readonly info: { readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Schemas
    readonly headers: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>
  }
}

export type Endpoint = { readonly method: string; readonly path: string; readonly operation: Operation }

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
export function listFailures({ responses }: Pick<Operation, 'responses'>): readonly Failure[] {
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
function examplesOf(content: Response['content'] = {}): NonNullable<MediaType['examples']> {
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
