import type { ErrorCode } from '@tallystick/core/error/tallystick-error'

/**
 * Every code a `ClientError` can carry: those of the service (docs/errors.md explains each), and four for what happens on
 * the way to it. `connection_failed`: no answer came, or it broke off. `timeout`: it did not come in time.
 * `malformed_answer`: it is not what this version understands. `http_error`: it came from something that is not the
 * service, such as a proxy.
 */
export type ClientErrorCode = ErrorCode | 'connection_failed' | 'timeout' | 'malformed_answer' | 'http_error'

/** What is known of a failure. */
export type ClientErrorOptions = {
  readonly code: ClientErrorCode
  readonly message: string
  /** The HTTP status, where there was an answer. */
  readonly status?: number | undefined
  /** Quote it when you ask the operator for help. */
  readonly requestId?: string | undefined
  /** How long the service asked to be left alone. */
  readonly retryAfterSeconds?: number | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
}

/**
 * What every call of the client fails with, except an abort: that throws the signal's own reason. `retryable` says
 * whether the very same call can succeed later without anyone changing it. It never holds the API key.
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

/**
 * The request would go, or went, over plain HTTP. If it carried a key, have that key rotated.
 *
 * @example
 * try {
 *   createClient({ baseUrl: 'http://notes.example', apiKey })
 * } catch (error) {
 *   error instanceof HttpsRequiredError // => true
 * }
 */
export class HttpsRequiredError extends ClientError {
  override readonly name = 'HttpsRequiredError' as const
  constructor(options: ClientErrorOptions) {
    super({ ...options, retryable: false })
  }
}

/**
 * The key is missing, mistyped, unknown, revoked or expired.
 *
 * @example
 * try {
 *   createClient({ baseUrl: 'https://notes.example', apiKey: 'tsk_live_cut' })
 * } catch (error) {
 *   error instanceof InvalidApiKeyError // => true
 * }
 */
export class InvalidApiKeyError extends ClientError {
  override readonly name = 'InvalidApiKeyError' as const
  constructor(options: ClientErrorOptions) {
    super({ ...options, retryable: false })
  }
}

/**
 * The key is good, but not for this endpoint: `details.scope` names the scope to ask the operator for.
 *
 * @example
 * const rate = await client.rate().catch((error) => {
 *   if (error instanceof InsufficientScopeError) return undefined
 *   throw error
 * })
 */
export class InsufficientScopeError extends ClientError {
  override readonly name = 'InsufficientScopeError' as const
  constructor(options: ClientErrorOptions) {
    super({ ...options, retryable: false })
  }
}

/**
 * The key's requests for this minute are used up, and waiting as long as `retryAfterSeconds` was more than the client
 * does by itself.
 *
 * @example
 * const notes = await client.notes().catch((error) => {
 *   if (error instanceof RateLimitedError) return `again in ${error.retryAfterSeconds} s`
 *   throw error
 * })
 */
export class RateLimitedError extends ClientError {
  override readonly name = 'RateLimitedError' as const
  constructor(options: ClientErrorOptions) {
    super({ ...options, retryable: true })
  }
}

/**
 * The request itself is refused, such as an unknown chain. The message says what to correct.
 *
 * @example
 * try {
 *   await client.notes({ chainId: 1 })
 * } catch (error) {
 *   error instanceof InvalidRequestError && error.code // => 'invalid_chainid'
 * }
 */
export class InvalidRequestError extends ClientError {
  override readonly name = 'InvalidRequestError' as const
  constructor(options: ClientErrorOptions) {
    super({ ...options, retryable: false })
  }
}

/**
 * Every chain asked refused the query: its syntax, a field that does not exist, a limit.
 *
 * @example
 * try {
 *   await client.data({ query: '{ nonsense }' })
 * } catch (error) {
 *   error instanceof QueryRejectedError // => true
 * }
 */
export class QueryRejectedError extends ClientError {
  override readonly name = 'QueryRejectedError' as const
  constructor(options: ClientErrorOptions) {
    super({ ...options, retryable: false })
  }
}

/**
 * There are no notes for the current period right now. Older ones are not handed out: the pool would refuse them.
 *
 * @example
 * const answer = await client.notes().catch((error) => {
 *   if (error instanceof NotesUnavailableError) return undefined
 *   throw error
 * })
 */
export class NotesUnavailableError extends ClientError {
  override readonly name = 'NotesUnavailableError' as const
  constructor(options: ClientErrorOptions) {
    super({ ...options, retryable: true })
  }
}

/**
 * The subgraphs of all chains asked failed or did not answer in time.
 *
 * @example
 * const chains = await client.positions(wallet).catch((error) => {
 *   if (error instanceof UpstreamError) return []
 *   throw error
 * })
 */
export class UpstreamError extends ClientError {
  override readonly name = 'UpstreamError' as const
  constructor(options: ClientErrorOptions) {
    super({ ...options, retryable: true })
  }
}

/**
 * The service, or a proxy before it, failed inside.
 *
 * @example
 * const rate = await client.rate().catch((error) => {
 *   if (error instanceof ServiceError) return `the service failed: ${error.requestId}`
 *   throw error
 * })
 */
export class ServiceError extends ClientError {
  override readonly name = 'ServiceError' as const
  constructor(options: ClientErrorOptions) {
    super({ ...options, retryable: true })
  }
}

/**
 * No answer came, or it broke off. `cause` is what `fetch` said.
 *
 * @example
 * const offline = createClient({ baseUrl: 'https://localhost:1', retries: 0 })
 * await offline.notes().catch((error) => error instanceof ConnectionError) // => true
 */
export class ConnectionError extends ClientError {
  override readonly name = 'ConnectionError' as const
  constructor(options: ClientErrorOptions) {
    super({ ...options, retryable: true })
  }
}

/**
 * The answer did not come, or not whole, within `timeoutSeconds`.
 *
 * @example
 * const rate = await client.rate().catch((error) => {
 *   if (error instanceof TimeoutError) return undefined
 *   throw error
 * })
 */
export class TimeoutError extends ClientError {
  override readonly name = 'TimeoutError' as const
  constructor(options: ClientErrorOptions) {
    super({ ...options, retryable: true })
  }
}

/**
 * The answer is not what this version of the client understands. Retryable where it was no JSON at all, as when a proxy
 * put its page in the way; JSON of another form will be of that form again.
 *
 * @example
 * const answer = await client.notes().catch((error) => {
 *   if (error instanceof MalformedAnswerError) return `update the client? ${error.message}`
 *   throw error
 * })
 */
export class MalformedAnswerError extends ClientError {
  override readonly name = 'MalformedAnswerError' as const
}
