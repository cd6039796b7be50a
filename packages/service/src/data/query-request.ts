import { graphqlRequestSchema, TallystickError } from '@tallystick/core'
import { assertJson } from '@tallystick/http'
import type { QueryRequest } from '@tallystick/subgraph'

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
  if (query === undefined) throw malformed('Send the query as POST with a JSON body, or as ?query=… with GET.')
  return parseQueryRequest({ query, variables: parseJsonParameter('variables', variables), operationName })
}

/** Parses a parameter of a query string that is JSON. Returns one that is absent or empty unchanged. */
export function parseJsonParameter(name: string, text: unknown): unknown {
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
  return new TallystickError({ code: 'invalid_request', message, retryable: false })
}
