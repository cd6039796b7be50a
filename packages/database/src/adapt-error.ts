import { TallystickError } from '@tallystick/core'

// Node's connection errors, and the SQLSTATE classes with which PostgreSQL closes a connection: 08 connection
// exception, 57P operator intervention, 53 insufficient resources, 28 and 3D wrong credentials or database name.
const unreachable =
  /^(E(CONN(REFUSED|RESET|ABORTED)|PIPE|HOSTUNREACH|NET(UNREACH|DOWN)|NOTFOUND|AI_AGAIN|TIMEDOUT|NOENT|MFILE|NFILE)|08...|57P..|53...|28...|3D...)$/
// OpenSSL's certificate errors, as Node names them, and Node's own.
const untrusted = /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_\w+|ERR_TLS_\w+)$/
const noTls = /does not support SSL/
const lostConnection =
  /Connection terminated|connection timeout|Client has encountered a connection error|Query read timeout|pool after calling end/i
// Message of the connection pool if no connection becomes free in time.
const exhausted = /timeout exceeded when trying to connect/

// Advice for the failures that have a known cause.
const advice: readonly (readonly [cause: RegExp, words: string])[] = [
  [/^28/, 'The server rejected the user name or password in the URL.'],
  [/^3D/, 'The database does not exist. Create it or correct the URL.'],
  [/^53300$/, 'The server has no free connections. Raise max_connections or run fewer clients.'],
  [untrusted, 'The server certificate is not trusted. Set sslrootcert in the URL to its CA.'],
  [exhausted, 'No connection became free in time. The server is slow or overloaded.'],
  [noTls, 'Enable ssl on the server or remove sslmode from the URL.'],
]
const adviceElse = 'Check that the server is running and the URL is correct.'

/** Throws `database_unavailable` if the error says that the database cannot be reached, otherwise the error itself. */
export function adaptError(error: unknown, label: string): never {
  if (error instanceof TallystickError) throw error
  const { code, message } = rootOf(error)
  const isKnown = [unreachable, untrusted].some((codes) => codes.test(code))
  if (isKnown || [lostConnection, exhausted, noTls].some((words) => words.test(message))) {
    const words = advice.find(([cause]) => cause.test(code || message))?.[1] ?? adviceElse
    throw new TallystickError({
      code: 'database_unavailable',
      message: `${label} cannot be used (${code || message}). ${words}`,
      retryable: true,
      cause: error,
    })
  }
  throw error
}

/** Returns the first error of an `AggregateError`: Node uses one, without a message, if a host has several addresses. */
function rootOf(error: unknown): { readonly code: string; readonly message: string } {
  const first = error instanceof AggregateError ? error.errors[0] : error
  const { code = '', message = '' } = (first ?? {}) as { code?: unknown; message?: unknown }
  return { code: String(code), message: String(message) }
}
