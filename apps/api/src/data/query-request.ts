import { TallystickError } from '@tallystick/core'
import type { QueryRequest } from '@tallystick/subgraph'

/**
 * A GraphQL request from a JSON body, by the GraphQL over HTTP specification. Members beside the three are passed over:
 * clients send `extensions` and more.
 */
export function parseQueryRequest(body: unknown): QueryRequest {
  if (!isObject(body)) throw malformed('The body must be a JSON object with "query" (batches are not supported).')
  const { query, variables, operationName } = body
  if (typeof query !== 'string') throw malformed('"query" must be a string that holds a GraphQL query.')
  if (variables !== undefined && variables !== null && !isObject(variables)) {
    throw malformed('"variables" must be an object.')
  }
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw malformed('"operationName" must be a string.')
  }
  return { query, ...(variables && { variables }), ...(operationName && { operationName }) }
}

/** The same from a query string, where `variables` is JSON. */
export function parseQueryString(parameters: unknown): QueryRequest {
  const { query, variables, operationName } = parameters as Readonly<Record<string, unknown>>
  if (query === undefined) throw malformed('Send the query as POST with a JSON body, or as ?query=… with GET.')
  return parseQueryRequest({ query, variables: variables && parseVariables(variables), operationName })
}

function parseVariables(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    throw malformed('"variables" in the query string must be JSON.')
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function malformed(message: string): TallystickError {
  return new TallystickError({ code: 'invalid_request', message, retryable: false })
}
