import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { createBackgroundWork, joinRuns, repeat, type Time } from '@tallystick/base'
import type { Logger } from 'pino'
import { keyExchange } from './key-exchange.ts'

export type CertificateFiles = { readonly cert: string; readonly key: string }
type Certificate = { readonly cert: Buffer; readonly key: Buffer }

const pollMs = 1_000

type WatchOptions = {
  readonly current: Certificate
  readonly onChange: (certificate: Certificate) => void
  readonly log: Logger
  readonly time: Pick<Time, 'setTimer'>
}

/**
 * Calls `onChange` when the files contain a new certificate. Reads them every second, because file events miss files that
 * are replaced through links, as certificate managers do. Certificate and key that do not match are only half written:
 * the current pair is kept until they match. A valid certificate is not replaced by one that has expired or is not valid
 * yet.
 */
export function watchCertificate(files: CertificateFiles, { current, onChange, log, time }: WatchOptions) {
  let inUse = current
  let notAfter = readNotAfter(current.cert)
  let rejected: Certificate | undefined
  const check = async () => {
    const found: Certificate = { cert: await readFile(files.cert), key: await readFile(files.key) }
    if (isSame(found, inUse)) {
      rejected = undefined
      return
    }
    const problem = findProblem(found, inUse)
    if (problem === undefined) {
      onChange(found)
      inUse = found
      notAfter = readNotAfter(found.cert)
      rejected = undefined
      log.info({ validTo: new X509Certificate(found.cert).validTo }, 'TLS certificate changed')
    } else if (!rejected || !isSame(found, rejected)) {
      rejected = found
      log.warn(problem, 'TLS certificate rejected; keeping the current pair')
    }
  }
  const checking = createBackgroundWork(joinRuns(check).run, (error) =>
    log.warn({ err: error }, 'TLS certificate unreadable; keeping the current one'),
  )
  const timer = repeat(time, { name: 'TLS files', ms: pollMs }, checking.run)
  return {
    /** When the certificate in use expires, in Unix seconds. */
    notAfter: () => notAfter,
    /** Whether the files are unreadable or contain a pair that is not used. */
    isRejected: () => checking.isFailing || rejected !== undefined,
    stop: timer.stop,
  }
}

/** Returns why clients would reject a certificate now. Real time: clients do not use the service's clock. */
export function findDateProblem(cert: Buffer, nowMs = Date.now()): string | undefined {
  const { validFrom, validTo } = new X509Certificate(cert)
  if (nowMs < Date.parse(validFrom)) return `it is not valid before ${validFrom}`
  return nowMs > Date.parse(validTo) ? `it expired ${validTo}` : undefined
}

/** Returns why a pair is not used, as members of a log line. Dates are not memorised: the certificate may become valid. */
function findProblem(found: Certificate, inUse: Certificate): object | undefined {
  try {
    createSecureContext({ ...keyExchange, ...found })
    const reason = findDateProblem(found.cert)
    return reason === undefined || findDateProblem(inUse.cert) !== undefined ? undefined : { reason }
  } catch (error) {
    return { err: error, reason: 'certificate and key do not match' }
  }
}

function isSame(a: Certificate, b: Certificate): boolean {
  return a.cert.equals(b.cert) && a.key.equals(b.key)
}

function readNotAfter(cert: Buffer): number {
  return Date.parse(new X509Certificate(cert).validTo) / 1000
}
