import type { ErrorBody, ErrorCode, TallystickError } from '@tallystick/core'
import type { SubgraphAnswer } from '@tallystick/gateway'
import { type EncodedError, errorBody, findMediaType, jsonType, statusOf } from '@tallystick/http'
import type { FastifyRequest } from 'fastify'

/** Media types of a GraphQL response, the preferred one first (GraphQL over HTTP specification). */
export const graphqlTypes = ['application/graphql-response+json', jsonType] as const

export type GraphqlType = (typeof graphqlTypes)[number]

/** Formats the body of an answer. `data` is already JSON text and is not serialised again. */
export function encodeAnswer({ data, errors }: Pick<SubgraphAnswer, 'data' | 'errors'>): string {
  if (errors.length === 0) return `{"data":${data}}`
  const entries = errors.map((message) => ({ message, extensions: { code: 'query_rejected' } }))
  return `{"data":${data},"errors":${JSON.stringify(entries)}}`
}

// These occur in well-formed GraphQL requests. As application/json their status is 200: a client cannot trust such a body
// with another status, since a proxy may have written it.
const graphqlFailures: ReadonlySet<ErrorCode> = new Set([
  'query_rejected',
  'persisted_query_not_found',
  'upstream_failed',
  'upstream_timeout',
])

/** Encodes an error in the media type that the client prefers, or as application/json if it accepts neither. */
export function encodeGraphqlError(error: TallystickError, { id, headers }: FastifyRequest): EncodedError {
  return encodeFailure(errorBody(error, id), findMediaType(headers.accept, graphqlTypes) ?? jsonType)
}

/**
 * Encodes an error as a GraphQL response, which GraphQL clients show. Where the specification does not require one
 * (application/json with a status from 400 on), the members of all other error responses are added.
 */
export function encodeFailure({ message, code, ...about }: ErrorBody, mediaType: GraphqlType): EncodedError {
  const errors = [{ message, extensions: { code: toGraphqlCode(code), ...about } }]
  if (mediaType !== jsonType) return { status: statusOf(code), mediaType, body: { errors } }
  if (graphqlFailures.has(code)) return { status: 200, mediaType, body: { errors } }
  return { status: statusOf(code), mediaType, body: { errors, message, code, ...about } }
}

/** Returns the code that Apollo's clients look for, or ours. */
function toGraphqlCode(code: ErrorCode): string {
  return code === 'persisted_query_not_found' ? 'PERSISTED_QUERY_NOT_FOUND' : code
}
