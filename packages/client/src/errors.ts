import { ClientError, FinalError, RetryableError } from './client-error.ts'

/**
 * Thrown if a request was or would be sent over plain HTTP. If it contained a key, rotate that key.
 *
 * @example
 * try {
 *   createClient({ baseUrl: 'http://notes.example', apiKey })
 * } catch (error) {
 *   error instanceof HttpsRequiredError // => true
 * }
 */
export class HttpsRequiredError extends FinalError {
  override readonly name = 'HttpsRequiredError' as const
}

/**
 * Thrown if the key is missing, malformed, unknown, revoked or expired.
 *
 * @example
 * try {
 *   createClient({ baseUrl: 'https://notes.example', apiKey: 'tsk_live_cut' })
 * } catch (error) {
 *   error instanceof InvalidApiKeyError // => true
 * }
 */
export class InvalidApiKeyError extends FinalError {
  override readonly name = 'InvalidApiKeyError' as const
}

/**
 * Thrown if the key lacks the scope of the endpoint. `details.scope` names the scope to request from the operator.
 *
 * @example
 * const rate = await client.rate().catch((error) => {
 *   if (error instanceof InsufficientScopeError) return undefined
 *   throw error
 * })
 */
export class InsufficientScopeError extends FinalError {
  override readonly name = 'InsufficientScopeError' as const
}

/**
 * Thrown if the key has no requests left in this minute and `retryAfterSeconds` is longer than the client waits
 * automatically.
 *
 * @example
 * const notes = await client.notes().catch((error) => {
 *   if (error instanceof RateLimitedError) return `again in ${error.retryAfterSeconds} s`
 *   throw error
 * })
 */
export class RateLimitedError extends RetryableError {
  override readonly name = 'RateLimitedError' as const
}

/**
 * Thrown if the request is invalid, for example because of an unknown chain. The message says what to correct.
 *
 * @example
 * try {
 *   await client.notes({ chainId: 1 })
 * } catch (error) {
 *   error instanceof InvalidRequestError && error.code // => 'invalid_chainid'
 * }
 */
export class InvalidRequestError extends FinalError {
  override readonly name = 'InvalidRequestError' as const
}

/**
 * Thrown if every chain rejected the query: invalid syntax, an unknown field, an exceeded limit.
 *
 * @example
 * try {
 *   await client.data({ query: '{ nonsense }' })
 * } catch (error) {
 *   error instanceof QueryRejectedError // => true
 * }
 */
export class QueryRejectedError extends FinalError {
  override readonly name = 'QueryRejectedError' as const
}

/**
 * Thrown if there are no notes of the current period. Older notes are not returned: the pool would reject them.
 *
 * @example
 * const answer = await client.notes().catch((error) => {
 *   if (error instanceof NotesUnavailableError) return undefined
 *   throw error
 * })
 */
export class NotesUnavailableError extends RetryableError {
  override readonly name = 'NotesUnavailableError' as const
}

/**
 * Thrown if the subgraphs of all requested chains failed or timed out.
 *
 * @example
 * const chains = await client.positions(wallet).catch((error) => {
 *   if (error instanceof UpstreamError) return []
 *   throw error
 * })
 */
export class UpstreamError extends RetryableError {
  override readonly name = 'UpstreamError' as const
}

/**
 * Thrown if the service, or a proxy in front of it, failed internally.
 *
 * @example
 * const rate = await client.rate().catch((error) => {
 *   if (error instanceof ServiceError) return `the service failed: ${error.requestId}`
 *   throw error
 * })
 */
export class ServiceError extends RetryableError {
  override readonly name = 'ServiceError' as const
}

/**
 * Thrown if no complete response was received. `cause` is the error of `fetch`.
 *
 * @example
 * const offline = createClient({ baseUrl: 'https://localhost:1', retries: 0 })
 * await offline.notes().catch((error) => error instanceof ConnectionError) // => true
 */
export class ConnectionError extends RetryableError {
  override readonly name = 'ConnectionError' as const
}

/**
 * Thrown if the service's certificate is not trusted, has expired or is for another host name. The message says which, and
 * the command that fixes it. Nothing was sent, and it is not retried. A page cannot see the reason: it gets a
 * `ConnectionError`.
 *
 * @example
 * const notes = await client.notes().catch((error) => {
 *   if (error instanceof TlsError) return `${error.details?.['reason']}: ${error.message}`
 *   throw error
 * })
 */
export class TlsError extends FinalError {
  override readonly name = 'TlsError' as const
}

/**
 * Thrown if the response was not complete within `timeoutSeconds`.
 *
 * @example
 * const rate = await client.rate().catch((error) => {
 *   if (error instanceof TimeoutError) return undefined
 *   throw error
 * })
 */
export class TimeoutError extends RetryableError {
  override readonly name = 'TimeoutError' as const
}

/**
 * Thrown if the response does not match this client version. It is retryable if the response was not JSON, for example a
 * page of a proxy. JSON of an unexpected shape is not retryable.
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
