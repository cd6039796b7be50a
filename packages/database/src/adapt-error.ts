import { TallystickError } from '@tallystick/core/error/tallystick-error'

// Node's own connection failures, and the SQLSTATE classes PostgreSQL closes a connection with: 08 connection
// exception, 57P operator intervention, 53 insufficient resources, 28 and 3D wrong credentials or database name.
const unreachable =
  /^(E(CONN(REFUSED|RESET|ABORTED)|PIPE|HOSTUNREACH|NET(UNREACH|DOWN)|NOTFOUND|AI_AGAIN|TIMEDOUT|NOENT|MFILE|NFILE)|08...|57P..|53...|28...|3D...)$/
// OpenSSL's verdicts on a certificate, as Node names them, and its own.
const untrusted = /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_\w+|ERR_TLS_\w+)$/
const noTls = /does not support SSL/
const lostConnection =
  /Connection terminated|connection timeout|Client has encountered a connection error|Query read timeout|pool after calling end/i
// The connection pool's own words when all its connections are in use for longer than one waits.
const exhausted = /timeout exceeded when trying to connect/

// What the server refuses by name a person can mend without the manual.
const advice: readonly (readonly [cause: RegExp, words: string])[] = [
  [/^28/, 'It refuses the user or the password of the URL.'],
  [/^3D/, 'There is no database of that name: make it, or correct the URL.'],
  [/^53300$/, 'It has no connection left: raise max_connections, or run fewer clients.'],
  [untrusted, 'Its certificate is not trusted: name its authority with sslrootcert in the URL.'],
  [exhausted, 'No connection became free in time: it is slow or overloaded.'],
  [noTls, 'Turn ssl on there, or take sslmode out of the URL.'],
]
const adviceElse = 'Check that it runs and that the URL is right.'

/** Throws: the driver's word that the database cannot be reached as our own error, anything else as it came. */
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

/** Node wraps the attempts at several addresses of one host into an AggregateError without a message of its own. */
function rootOf(error: unknown): { readonly code: string; readonly message: string } {
  const first = error instanceof AggregateError ? error.errors[0] : error
  const { code = '', message = '' } = (first ?? {}) as { code?: unknown; message?: unknown }
  return { code: String(code), message: String(message) }
}
