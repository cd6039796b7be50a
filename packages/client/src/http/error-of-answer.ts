import { type ErrorCode, errorCodes, parseJson } from '@tallystick/core'
import type { ClientError, ClientErrorOptions } from '../client-error.ts'
import {
  HttpsRequiredError,
  InsufficientScopeError,
  InvalidApiKeyError,
  InvalidRequestError,
  NotesUnavailableError,
  QueryRejectedError,
  RateLimitedError,
  ServiceError,
  UpstreamError,
} from '../errors.ts'

export type FailedAnswer = {
  readonly endpoint: string
  readonly text: string
  /** Name of the option with the URL. */
  readonly option: string
}

/** Returns the error of an unsuccessful response, by the service's error code or else by the status. */
export function errorOfAnswer({ status, headers }: Response, { endpoint, text, option }: FailedAnswer): ClientError {
  const body = parseErrorBody(text)
  const common = { status, retryAfterSeconds: parseRetryAfter(headers) }
  if (body) return errorOfCode({ ...common, ...body })
  // For a redirect that is not followed, browsers report the status 0.
  const isRedirect = status === 0 || (status >= 300 && status < 400)
  const message = isRedirect
    ? `${endpoint} was redirected. Set ${option} to the final URL. Redirects are not followed: they would send the key elsewhere.`
    : `${endpoint} returned status ${status} without an error body of the service. Check ${option}.`
  return errorOfStatus({ ...common, code: 'http_error', message })
}

function errorOfCode(options: ClientErrorOptions): ClientError {
  switch (options.code) {
    case 'https_required':
      return new HttpsRequiredError(options)
    case 'invalid_api_key':
      return new InvalidApiKeyError(options)
    case 'insufficient_scope':
      return new InsufficientScopeError(options)
    case 'query_rejected':
      return new QueryRejectedError(options)
    case 'notes_unavailable':
      return new NotesUnavailableError(options)
    case 'upstream_failed':
    case 'upstream_timeout':
      return new UpstreamError(options)
    default:
      return errorOfStatus(options)
  }
}

function errorOfStatus(options: ClientErrorOptions & { readonly status?: number | undefined }): ClientError {
  const { status = 0 } = options
  if (status === 429) return new RateLimitedError(options)
  return status >= 500 || status === 408 ? new ServiceError(options) : new InvalidRequestError(options)
}

type ErrorBody = Pick<ClientErrorOptions, 'message' | 'code' | 'requestId' | 'details'>

/** Returns undefined if the text is not an error body of the service (DESIGN.md §2.1). */
function parseErrorBody(text: string): ErrorBody | undefined {
  const body = parseObject(text)
  const { message, code, requestId, details } = body ?? {}
  if (typeof message !== 'string' || typeof code !== 'string') return undefined
  const known = errorCodes.find((candidate): candidate is ErrorCode => candidate === code)
  return {
    message,
    // A later version of the service may have unknown codes. The status then decides.
    code: known ?? 'http_error',
    requestId: typeof requestId === 'string' ? requestId : undefined,
    details: isRecord(details) ? details : known ? undefined : { code },
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses Retry-After (RFC 9110 §10.2.3): seconds, or a date relative to the response's Date. */
function parseRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const seconds = (Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}

/**
 * Returns whether the service itself refused a request for good. A proxy, a captive portal or a replica of another version
 * may give any status, but not the service's error body.
 */
export function isRefusal({ code, retryable }: ClientError): boolean {
  return !retryable && errorCodes.some((known) => known === code)
}
