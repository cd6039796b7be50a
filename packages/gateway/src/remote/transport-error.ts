import { codeOf } from '@tallystick/chain'
import { TallystickError } from '@tallystick/core'
import { type UpstreamFailure, upstreamError } from '../chain-subgraph.ts'

/** Phase of an exchange: `headers` until the response headers have arrived. */
export type Phase = 'headers' | 'body'

/**
 * Converts an error of undici or Node. Keeps only its code, because its message contains addresses.
 */
export function transportError(
  error: unknown,
  { phase, answerBytesMax }: { readonly phase: Phase; readonly answerBytesMax: number },
): TallystickError {
  if (error instanceof TallystickError) return error
  const code = codeOf(error) ?? 'no code'
  const failure = failureOf(code, phase)
  return upstreamError({ failure, message: messageOf(failure, { code, answerBytesMax }) })
}

/** Returns the error for an upstream that timed out in a phase. */
export function slowError(phase: Phase): TallystickError {
  const failure = phase === 'headers' ? 'slow_headers' : 'slow_body'
  return upstreamError({ failure, message: slowMessages[failure] })
}

const slowMessages = {
  slow_headers: 'The chain’s subgraph did not answer in time. Try again or select less.',
  slow_body: 'The chain’s subgraph did not finish its answer in time. Try again or select less.',
} as const

const refused = /^(ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/
const unknownHost = /^(ENOTFOUND|ENODATA|EAI_\w+)$/
// Codes of Node and, for a certificate that does not verify, the names of OpenSSL's X509_V_ERR constants.
const untrusted =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH_|ERROR_IN_)/
const timedOut = /^(UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|ETIMEDOUT)$/

function failureOf(code: string, phase: Phase): UpstreamFailure {
  if (refused.test(code)) return 'refused'
  if (unknownHost.test(code)) return 'dns'
  if (untrusted.test(code)) return 'tls'
  if (timedOut.test(code)) return phase === 'headers' ? 'slow_headers' : 'slow_body'
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'too_large'
  // The body is shorter than announced, or the connection was closed before the end.
  if (/^(UND_ERR_RES_CONTENT_LENGTH_MISMATCH|HPE_INVALID_EOF_STATE)$/.test(code)) return 'truncated'
  if (code === 'UND_ERR_SOCKET' && phase === 'body') return 'truncated'
  if (/^(HPE_|UND_ERR_HEADERS_OVERFLOW$)/.test(code)) return 'malformed'
  return 'reset'
}

function messageOf(
  failure: UpstreamFailure,
  { code, answerBytesMax }: { readonly code: string; readonly answerBytesMax: number },
): string {
  switch (failure) {
    case 'refused':
      return `The chain’s subgraph cannot be reached (${code}). Try again later.`
    case 'dns':
      return `The host of the chain’s subgraph was not found (${code}). Try again later.`
    case 'tls':
      return `The TLS connection to the chain’s subgraph failed (${code}). Contact the operator.`
    case 'slow_headers':
    case 'slow_body':
      return slowMessages[failure]
    case 'too_large':
      return `The answer of the chain’s subgraph exceeds ${answerBytesMax} bytes. Use a smaller "first" or select fewer fields.`
    case 'truncated':
      return 'The answer of the chain’s subgraph ended early. Try again.'
    case 'malformed':
      return `The chain’s subgraph sent an invalid HTTP response (${code}). Contact the operator.`
    default:
      return `The connection to the chain’s subgraph was lost (${code}). Try again.`
  }
}
