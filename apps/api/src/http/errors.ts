import { type ErrorBody, type ErrorCode, TallystickError } from '@tallystick/core'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/** The HTTP status of each code. Exhaustive: a new code does not compile until it has one. */
export function statusOf(code: ErrorCode): number {
  switch (code) {
    case 'invalid_chainid':
    case 'invalid_maturity':
    case 'invalid_chains':
    case 'query_rejected':
    case 'invalid_parameter':
    case 'invalid_request':
    case 'invalid_curve':
    case 'invalid_key_request':
    case 'invalid_note_file':
      return 400
    case 'unauthorized':
      return 401
    case 'https_required':
    case 'invalid_api_key':
    case 'insufficient_scope':
    case 'insufficient_role':
      return 403
    case 'not_found':
    case 'key_not_found':
      return 404
    case 'method_not_allowed':
      return 405
    case 'not_acceptable':
      return 406
    case 'request_timeout':
      return 408
    case 'rail_refused':
    case 'proposal_refused':
    case 'key_not_active':
      return 409
    case 'payload_too_large':
      return 413
    case 'unsupported_media_type':
      return 415
    case 'rate_limited':
      return 429
    case 'headers_too_large':
      return 431
    case 'internal_error':
    case 'notes_unavailable':
    case 'invalid_config':
    case 'database_in_use':
    case 'database_too_new':
    case 'journal_unusable':
    case 'database_outdated':
      return 500
    case 'upstream_failed':
    case 'signer_failed':
    case 'server_unreachable':
      return 502
    case 'not_ready':
    case 'database_unavailable':
      return 503
    case 'upstream_timeout':
      return 504
  }
}

/** Answers with an error: ours as it is, the framework's in our words, anything else as one fixed text and a log line. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toTallystickError(error)
  if (known.code === 'internal_error') {
    request.log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'internal error')
  }
  reply.code(statusOf(known.code)).header('cache-control', 'no-store')
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds))
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(errorBody(known, request.id)))
}

export function errorBody({ message, code, details }: TallystickError, requestId: string): ErrorBody {
  return { message, code, requestId, ...(details && { details }) }
}

/** Whether the database cannot be reached, has no connection left, or broke a statement off that took too long. */
export function isDatabaseAway(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return code === 'database_unavailable' || code === queryCanceled
}

function toTallystickError(error: unknown): TallystickError {
  if (isDatabaseAway(error)) return notReady
  if (error instanceof TallystickError) return error
  const { code, statusCode } = error as Partial<FastifyError>
  const ours = (code: ErrorCode, message: string) => new TallystickError({ code, message, retryable: false })
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return ours('payload_too_large', 'The body is too large.')
  if (statusCode === 415) return ours('unsupported_media_type', 'Send the body as application/json.')
  if (code === 'FST_ERR_BAD_URL') return ours('invalid_request', 'The path is not valid percent-encoding.')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return ours('invalid_request', 'The request cannot be read. Is the body the JSON the documentation describes?')
  }
  return internalError
}

const internalError = new TallystickError({
  code: 'internal_error',
  message: 'Something failed inside the service. It is logged under this requestId; try again later.',
  retryable: true,
})

// SQLSTATE of PostgreSQL.
const queryCanceled = '57014'
// The pool tries to connect for that long.
const databaseRetrySeconds = 5

// The driver's own words name hosts and databases: they are for the log.
const notReady = new TallystickError({
  code: 'not_ready',
  message: 'The service cannot reach its database. Notes and keys in memory are still served. Try again later.',
  retryable: true,
  retryAfterSeconds: databaseRetrySeconds,
})
