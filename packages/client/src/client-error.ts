import type { ClientErrorCode } from './error-code.ts'

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
