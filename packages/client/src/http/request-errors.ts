import { type ErrorCode, errorCodes, parseJson } from '@tallystick/core'
import type { ClientError, ClientErrorCode, ClientErrorOptions } from '../client-error.ts'
import {
  ConnectionError,
  HttpsRequiredError,
  InsufficientScopeError,
  InvalidApiKeyError,
  InvalidRequestError,
  NotesUnavailableError,
  QueryRejectedError,
  RateLimitedError,
  ServiceError,
  TlsError,
  UpstreamError,
} from '../errors.ts'
import type { Connection } from './connection.ts'

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

const errorClasses: Partial<Readonly<Record<ClientErrorCode, new (options: ClientErrorOptions) => ClientError>>> = {
  https_required: HttpsRequiredError,
  invalid_api_key: InvalidApiKeyError,
  insufficient_scope: InsufficientScopeError,
  query_rejected: QueryRejectedError,
  notes_unavailable: NotesUnavailableError,
  upstream_failed: UpstreamError,
  upstream_timeout: UpstreamError,
}

function errorOfCode(options: ClientErrorOptions): ClientError {
  const ErrorClass = errorClasses[options.code]
  return ErrorClass ? new ErrorClass(options) : errorOfStatus(options)
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

type FailedRequest = Pick<Connection, 'baseUrl' | 'urlOption'> & { readonly endpoint: string; readonly cause: unknown }

/** Returns the error of a request without a complete response. */
export function failedRequest({ baseUrl, urlOption, endpoint, cause }: FailedRequest): ConnectionError | TlsError {
  const check = findTlsFailure(cause)
  if (check) {
    const message = `${endpoint} was not sent. ${explainTlsFailure(check, baseUrl)}`
    return new TlsError({ code: 'tls_check_failed', message, details: { reason: check.code }, cause })
  }
  const message = `${endpoint} received no complete response. Check ${urlOption} and the network.`
  return new ConnectionError({ code: 'connection_failed', message, cause })
}

type TlsFailure = { readonly code: string; readonly reason?: unknown }

// Names of OpenSSL's verification errors, and Node's own for a wrong host name. A browser does not tell them to a page.
const untrusted =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|CERT_UNTRUSTED)$/
const wrongTime = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/
const wrongHost = /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/
const otherFault =
  /^(CERT_(REVOKED|REJECTED|SIGNATURE_FAILURE|CHAIN_TOO_LONG)|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|EE_KEY_TOO_SMALL)$/

function findTlsFailure(error: unknown): TlsFailure | undefined {
  // `fetch` puts the reason into `cause`. The limit guards against circular causes.
  let cause = error
  for (let depth = 0; depth < 5 && typeof cause === 'object' && cause !== null; depth++) {
    const { code } = cause as { readonly code?: unknown }
    const isKnown = [untrusted, wrongTime, wrongHost, otherFault].some((names) => names.test(String(code)))
    if (isKnown) return cause as TlsFailure
    cause = (cause as { readonly cause?: unknown }).cause
  }
  return undefined
}

function explainTlsFailure({ code, reason }: TlsFailure, baseUrl: string): string {
  const { host, hostname } = new URL(baseUrl)
  const certificate = `The certificate of ${host}`
  if (untrusted.test(code)) {
    const isLocal = /^(localhost|127\.|\[::1\]$)/.test(hostname)
    const advice = isLocal
      ? 'Trust that of the sandbox: NODE_EXTRA_CA_CERTS=.tallystick/tls/ca.pem node <program> (credentials.json names the file as caCert).'
      : 'If it is right, trust its authority: NODE_EXTRA_CA_CERTS=<authority.pem> node <program>.'
    return `${certificate} is not from an authority that this program trusts (${code}). ${advice}`
  }
  if (wrongTime.test(code)) {
    const state = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'
    return `${certificate} ${state} (${code}). Check the date of this machine with \`date -u\`. If it is right, the operator must renew the certificate.`
  }
  if (wrongHost.test(code)) {
    const names = typeof reason === 'string' ? ` ${reason.replace(/\.*$/, '.')}` : ''
    return `${certificate} is for another host name (${code}).${names} Use a name of the certificate in the URL.`
  }
  return `${certificate} is not acceptable (${code}). The operator must replace it.`
}
