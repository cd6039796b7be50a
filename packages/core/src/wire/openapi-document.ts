/** JSON Schema (2020-12), limited to the keywords of our schemas. */
export type JsonSchema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  /** Unit of the value. */
  readonly 'x-unit'?: string
  /** Meaning of each value of `enum`. */
  readonly 'x-enumDescriptions'?: Readonly<Record<string, string>>
  readonly [keyword: string]: unknown
}

export type OpenapiReference = { readonly $ref: string }

export type OpenapiParameter = {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

export type OpenapiExample = { readonly summary: string; readonly value: unknown }

export type MediaType = {
  readonly schema: JsonSchema
  readonly examples?: Readonly<Record<string, OpenapiExample>>
}

export type OpenapiResponse = {
  readonly description: string
  readonly headers?: Readonly<Record<string, OpenapiReference>>
  readonly content?: Readonly<Record<string, MediaType>>
}

export type CodeSample = { readonly lang: string; readonly label: string; readonly source: string }

export type OpenapiOperation = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly deprecated?: true
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly OpenapiParameter[]
  readonly requestBody?: {
    readonly description: string
    readonly required: true
    readonly content: Readonly<Record<string, MediaType>>
  }
  readonly responses: Readonly<Record<string, OpenapiResponse>>
  readonly 'x-codeSamples': readonly CodeSample[]
}

export type OpenapiHeader = { readonly description: string; readonly schema: JsonSchema }

/** OpenAPI 3.1 document, limited to the members of ours. */
export type OpenapiDocument = {
  readonly openapi: '3.1.1'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
    readonly contact: { readonly name: string }
    readonly license: { readonly name: string; readonly url: string }
  }
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<'get' | 'post', OpenapiOperation>>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly headers: Readonly<Record<string, OpenapiHeader>>
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
}
