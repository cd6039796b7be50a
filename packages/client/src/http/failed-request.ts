import { ConnectionError, TlsError } from '../errors.ts'
import type { Connection } from './connection.ts'

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
