import type { Variables } from '@tallystick/gateway'
import { assertParameters } from '@tallystick/http'
import { z } from 'zod'
import type { PersistedQuery } from './persisted-queries.ts'
import { malformed, parseJsonParameter, parseQueryRequest } from './query-request.ts'

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
