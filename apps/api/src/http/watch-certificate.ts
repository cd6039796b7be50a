import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Logger } from 'pino'
import { keyExchange } from './key-exchange.ts'

export type CertificateFiles = { readonly cert: string; readonly key: string }
export type Certificate = { readonly cert: Buffer; readonly key: Buffer }

const pollMsDefault = 1_000

/**
 * Calls `onChange` when the files contain a new certificate. Reads them every second, because file events miss files that
 * are replaced through links, as certificate managers do. Certificate and key that do not match are only half written:
 * the current pair is kept until they match. Returns a function that stops the watch.
 */
export function watchCertificate(
  files: CertificateFiles,
  {
    current,
    onChange,
    log,
    pollMs = pollMsDefault,
  }: {
    readonly current: Certificate
    readonly onChange: (certificate: Certificate) => void
    readonly log: Logger
    readonly pollMs?: number | undefined
  },
): () => void {
  let inUse = current
  let rejected: Certificate | undefined
  let isChecking = false
  let isUnreadable = false
  const check = async () => {
    const found: Certificate = { cert: await readFile(files.cert), key: await readFile(files.key) }
    isUnreadable = false
    if (isSame(found, inUse) || (rejected && isSame(found, rejected))) return
    try {
      createSecureContext({ ...keyExchange, ...found })
      onChange(found)
      inUse = found
      rejected = undefined
      log.info({ validTo: new X509Certificate(found.cert).validTo }, 'TLS certificate changed')
    } catch (error) {
      rejected = found
      log.warn({ err: error }, 'TLS certificate and key do not match; keeping the current pair')
    }
  }
  const timer = setInterval(() => {
    if (isChecking) return
    isChecking = true
    check()
      .catch((error) => {
        if (!isUnreadable) log.warn({ err: error }, 'TLS certificate unreadable; keeping the current one')
        isUnreadable = true
      })
      .finally(() => {
        isChecking = false
      })
  }, pollMs)
  timer.unref()
  return () => clearInterval(timer)
}

function isSame(a: Certificate, b: Certificate): boolean {
  return a.cert.equals(b.cert) && a.key.equals(b.key)
}
