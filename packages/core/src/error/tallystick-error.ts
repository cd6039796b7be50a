/** All error codes of responses, log lines and the command line. Each has a heading in docs/errors.md. */
export const errorCodes = [
  'https_required',
  'invalid_api_key',
  'insufficient_scope',
  'address_not_allowed',
  'visitor_token_invalid',
  'visitor_token_expired',
  'visitor_not_allowed',
  'rate_limited',
  'quota_exceeded',
  'too_many_streams',
  'invalid_chainid',
  'invalid_maturity',
  'invalid_chains',
  'query_rejected',
  'persisted_query_not_found',
  'invalid_parameter',
  'invalid_request',
  'not_found',
  'log_entries_withheld',
  'method_not_allowed',
  'not_acceptable',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'headers_too_large',
  'internal_error',
  'notes_unavailable',
  'upstream_failed',
  'upstream_timeout',
  'not_ready',
  'unauthorized',
  'insufficient_role',
  'invalid_curve',
  'rail_refused',
  'proposal_refused',
  'invalid_key_request',
  'key_not_found',
  'key_not_active',
  'key_changed',
  'invalid_hook',
  'hook_not_found',
  'delivery_not_found',
  'index_job_running',
  'invalid_config',
  'invalid_note_file',
  'signer_failed',
  'database_unavailable',
  'database_in_use',
  'database_too_new',
  'journal_unusable',
  'database_outdated',
  'server_unreachable',
] as const

/** Error code. */
export type ErrorCode = (typeof errorCodes)[number]

/** Members of a `TallystickError`. */
type TallystickErrorOptions = {
  readonly code: ErrorCode
  readonly message: string
  readonly retryable: boolean
  /** Seconds until a retry can succeed. Sent as Retry-After. */
  readonly retryAfterSeconds?: number | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
}

/**
 * Error whose message may be sent to a client. The message says what failed, with which value, and what to do. Any other
 * error is sent as `internal_error` with a fixed text.
 *
 * @example
 * throw new TallystickError({ code: 'invalid_chainid', message: 'chainid "1" is not supported. Use 324.', retryable: false })
 */
export class TallystickError extends Error {
  override readonly name: string = 'TallystickError'
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly retryAfterSeconds: number | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor({ code, message, retryable, retryAfterSeconds, details, cause }: TallystickErrorOptions) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.retryable = retryable
    this.retryAfterSeconds = retryAfterSeconds
    this.details = details
  }
}

/** Returns the error of a configuration that cannot be used. */
export function invalidConfig(
  message: string,
  more: Pick<TallystickErrorOptions, 'details' | 'cause'> = {},
): TallystickError {
  return new TallystickError({ code: 'invalid_config', message, retryable: false, ...more })
}
