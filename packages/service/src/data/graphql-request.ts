import { graphqlRequestSchema, type TallystickError } from '@tallystick/core'
import type { Variables } from '@tallystick/gateway'
import { assertJson, assertParameters, refusal } from '@tallystick/http'
import type { QueryRequest } from '@tallystick/subgraph'
import { z } from 'zod'

/** A query as its text, as the hash of a text that was sent before, or as both. One of them is present. */
export type PersistedQuery = {
  readonly query: string | undefined
  /** SHA-256 of the text in UTF-8, as 64 hexadecimal digits. */
  readonly sha256Hash: string | undefined
}

/** Parsed request of `/data/<chainid>`. */
export type GraphqlRequest = {
  readonly query: PersistedQuery
  readonly variables: Variables
  readonly operationName: string | undefined
}

/** Parses a JSON body. Ignores unknown members, as the GraphQL over HTTP specification reserves them. */
export function parseGraphqlBody(body: unknown): GraphqlRequest {
  if (Array.isArray(body)) throw malformed('Batches are not supported. Send each query in a request of its own.')
  const { query: given, extensions } = (body ?? {}) as Readonly<Record<string, unknown>>
  const sha256Hash = parseHash(extensions)
  const isHashOnly = sha256Hash !== undefined && (given === undefined || given === null)
  const request = parseQueryRequest(isHashOnly ? { ...(body as object), query: '' } : body)
  return {
    query: { query: isHashOnly ? undefined : request.query, sha256Hash },
    variables: request.variables ?? {},
    operationName: request.operationName ?? undefined,
  }
}

const parameterNames = ['query', 'variables', 'operationName', 'extensions'] as const

/** Parses a query string, in which `variables` and `extensions` are JSON. */
export function parseGraphqlParameters(parameters: unknown): GraphqlRequest {
  const given = parameters as Readonly<Record<string, unknown>>
  assertParameters(given, parameterNames)
  const { query, operationName } = given
  const extensions = parseJsonParameter('extensions', given['extensions'])
  const variables = parseJsonParameter('variables', given['variables'])
  if (query === undefined && !extensions) throw malformed(noQuery)
  return parseGraphqlBody({ query, variables, operationName, extensions })
}

const noQuery = 'Send the query as POST with a JSON body, or as ?query=… with GET.'

// Other extensions are of no concern here. Apollo's clients send several.
const extensionsSchema = z.looseObject({ persistedQuery: z.unknown().optional() }).nullish()
const persistedQuerySchema = z.looseObject({ version: z.literal(1), sha256Hash: z.string().regex(/^[\da-f]{64}$/) })

function parseHash(extensions: unknown): string | undefined {
  const { data, success } = extensionsSchema.safeParse(extensions)
  if (!success) throw malformed('"extensions" must be an object.')
  const { persistedQuery } = data ?? {}
  if (persistedQuery === undefined || persistedQuery === null) return undefined
  const { data: persisted } = persistedQuerySchema.safeParse(persistedQuery)
  if (persisted) return persisted.sha256Hash
  throw malformed('"extensions.persistedQuery" must have "version" 1 and "sha256Hash", 64 lower-case hex digits.')
}

/**
 * Parses a JSON body by the GraphQL over HTTP specification. Ignores unknown members, since clients send `extensions` and
 * more.
 */
export function parseQueryRequest(body: unknown): QueryRequest {
  const { data: request, error } = graphqlRequestSchema.safeParse(body)
  if (!request) {
    const complaint = complaints[String(error.issues[0]?.path[0])]
    throw malformed(complaint ?? 'The body must be a JSON object with "query" (batches are not supported).')
  }
  const { query, variables, operationName } = request
  return { query, ...(variables && { variables }), ...(operationName && { operationName }) }
}

const complaints: Readonly<Record<string, string>> = {
  query: '"query" must be a string that contains a GraphQL query.',
  variables: '"variables" must be an object.',
  operationName: '"operationName" must be a string.',
}

/** Parses a GraphQL request from a query string, in which `variables` is JSON. */
export function parseQueryString(parameters: unknown): QueryRequest {
  const { query, variables, operationName } = parameters as Readonly<Record<string, unknown>>
  if (query === undefined) throw malformed(noQuery)
  return parseQueryRequest({ query, variables: parseJsonParameter('variables', variables), operationName })
}

/** Parses a parameter of a query string that is JSON. Returns one that is absent or empty unchanged. */
function parseJsonParameter(name: string, text: unknown): unknown {
  if (!text) return text
  const value = parseJson(name, String(text))
  assertJson(`"${name}"`, value)
  return value
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed(`"${name}" in the query string must be JSON.`)
  }
}

/** Returns the error of a request that is not a GraphQL request. */
export function malformed(message: string): TallystickError {
  return refusal('invalid_request', message)
}
