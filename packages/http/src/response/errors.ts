import { type ErrorBody, type ErrorCode, TallystickError } from '@tallystick/core'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    encodeError?: EncodeError | undefined
  }
  interface FastifyRequest {
    /** Encodes the errors of a request whose path is that of a route, but not its method. */
    encodeError: EncodeError | undefined
  }
}

/** Error response of a route that has a format of its own. */
export type EncodedError = { readonly status: number; readonly mediaType: string; readonly body: object }

export type EncodeError = (error: TallystickError, request: FastifyRequest) => EncodedError

// Exhaustive: a new code does not compile until it has a status.
const statuses: Readonly<Record<ErrorCode, number>> = {
  invalid_chainid: 400,
  invalid_maturity: 400,
  invalid_chains: 400,
  query_rejected: 400,
  persisted_query_not_found: 400,
  invalid_parameter: 400,
  invalid_request: 400,
  invalid_curve: 400,
  invalid_key_request: 400,
  invalid_hook: 400,
  invalid_note_file: 400,
  unauthorized: 401,
  https_required: 403,
  invalid_api_key: 403,
  insufficient_scope: 403,
  address_not_allowed: 403,
  visitor_token_invalid: 403,
  visitor_token_expired: 403,
  visitor_not_allowed: 403,
  insufficient_role: 403,
  not_found: 404,
  log_entries_withheld: 404,
  key_not_found: 404,
  hook_not_found: 404,
  delivery_not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  rail_refused: 409,
  proposal_refused: 409,
  key_not_active: 409,
  key_changed: 409,
  index_job_running: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  quota_exceeded: 429,
  too_many_streams: 429,
  headers_too_large: 431,
  internal_error: 500,
  notes_unavailable: 500,
  invalid_config: 500,
  database_in_use: 500,
  database_too_new: 500,
  journal_unusable: 500,
  database_outdated: 500,
  upstream_failed: 502,
  signer_failed: 502,
  server_unreachable: 502,
  not_ready: 503,
  database_unavailable: 503,
  upstream_timeout: 504,
}

/** Returns the HTTP status of an error code. */
export function statusOf(code: ErrorCode): number {
  return statuses[code]
}

/** Sends an error response. Fastify's errors get our codes. An unknown error gets a fixed text and is logged. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toTallystickError(error)
  if (known.code === 'internal_error') {
    request.log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'internal error')
  }
  const encode = request.encodeError ?? request.routeOptions.config.encodeError ?? encodeError
  const { status, mediaType, body } = encode(known, request)
  reply.code(status).header('cache-control', 'no-store')
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds))
  return reply.type(`${mediaType}; charset=utf-8`).send(JSON.stringify(body))
}

function encodeError(error: TallystickError, { id }: FastifyRequest): EncodedError {
  return { status: statusOf(error.code), mediaType: 'application/json', body: errorBody(error, id) }
}

export function errorBody({ message, code, details }: TallystickError, requestId: string): ErrorBody {
  return { message, code, requestId, ...(details && { details }) }
}

/** Creates an error that the same request would get again. */
export function refusal(code: ErrorCode, message: string): TallystickError {
  return new TallystickError({ code, message, retryable: false })
}

/** Returns whether the database is unreachable, has no free connection or cancelled a slow statement. */
export function isDatabaseAway(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return code === 'database_unavailable' || code === queryCanceled
}

function toTallystickError(error: unknown): TallystickError {
  if (isDatabaseAway(error)) return notReady
  if (error instanceof TallystickError) return error
  const { code, statusCode } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return refusal('payload_too_large', 'The body is too large.')
  if (statusCode === 415) return refusal('unsupported_media_type', 'Send the body as application/json.')
  if (code === 'FST_ERR_BAD_URL') return refusal('invalid_request', 'The path is not valid percent-encoding.')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return refusal(
      'invalid_request',
      'The request cannot be parsed. Check that its body is the JSON that the documentation describes.',
    )
  }
  return internalError
}

const internalError = new TallystickError({
  code: 'internal_error',
  message: 'An internal error occurred. It is logged under this requestId. Try again later.',
  retryable: true,
})

// SQLSTATE of PostgreSQL.
const queryCanceled = '57014'
// The connection pool retries for this long.
const databaseRetrySeconds = 5

// The driver's message contains hosts and database names, so it is only logged.
const notReady = new TallystickError({
  code: 'not_ready',
  message: 'The service cannot reach its database. Notes and keys in memory are still served. Try again later.',
  retryable: true,
  retryAfterSeconds: databaseRetrySeconds,
})
