import type { ErrorCode } from '@tallystick/core'

/**
 * Codes of a `ClientError`: those of the service (see docs/errors.md) and twenty-one of the client. `connection_failed`: no
 * complete response was received. `tls_check_failed`: see `TlsError`. `timeout`: the response did not arrive in time. `malformed_answer`: the response does not
 * match this client version. `http_error`: the response is not from the service but, for example, from a proxy.
 * `not_logged`, `log_incomplete`, `log_invalid` and `log_forked`: see `NotLoggedError` and `LogError`.
 * `invalid_webhook`: see `WebhookError`. `income_not_reported`: a claim would lose income, see `IncomeNotReportedError`. The
 * last eleven are those of `TransactionError` in `@tallystick/client/viem`.
 */
export type ClientErrorCode =
  | ErrorCode
  | 'connection_failed'
  | 'tls_check_failed'
  | 'timeout'
  | 'malformed_answer'
  | 'http_error'
  | 'invalid_webhook'
  | 'not_logged'
  | 'log_incomplete'
  | 'log_invalid'
  | 'log_forked'
  | 'income_not_reported'
  | 'note_expired'
  | 'note_not_yet_valid'
  | 'call_reverted'
  | 'wallet_rejected'
  | 'wrong_chain'
  | 'transaction_replaced'
  | 'transaction_dropped'
  | 'transaction_pending'
  | 'chain_failed'
  | 'aborted'

/** Members of a `ClientError`. */
export type ClientErrorOptions = {
  readonly code: ClientErrorCode
  readonly message: string
  /** HTTP status, if there was a response. */
  readonly status?: number | undefined
  /** Quote it when you contact the operator. */
  readonly requestId?: string | undefined
  /** Seconds of the Retry-After header. */
  readonly retryAfterSeconds?: number | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
}

/**
 * Base class of the errors of all calls, except for an abort, which throws the signal's reason. `retryable` says whether the
 * same call can succeed later. The error never contains the API key.
 *
 * @example
 * try {
 *   await client.notes()
 * } catch (error) {
 *   if (!(error instanceof ClientError)) throw error
 *   console.log(error.code, error.retryable, error.requestId)
 * }
 */
export class ClientError extends Error {
  override readonly name: string = 'ClientError'
  readonly code: ClientErrorCode
  readonly retryable: boolean
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(options: ClientErrorOptions & { readonly retryable: boolean }) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = options.code
    this.retryable = options.retryable
    this.status = options.status
    this.requestId = options.requestId
    this.retryAfterSeconds = options.retryAfterSeconds
    this.details = options.details
  }
}

/** A repetition of the same call cannot succeed. */
export class FinalError extends ClientError {
  constructor(options: ClientErrorOptions) {
    super({ ...options, retryable: false })
  }
}

/** The same call can succeed later. */
export class RetryableError extends ClientError {
  constructor(options: ClientErrorOptions) {
    super({ ...options, retryable: true })
  }
}
