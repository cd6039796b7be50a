import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Logger } from 'pino'
import { keyExchange } from './key-exchange.ts'

export type CertificateFiles = { readonly cert: string; readonly key: string }
export type Certificate = { readonly cert: Buffer; readonly key: Buffer }

const lookIntervalMs = 1_000

/**
 * Calls `onChange` with a new certificate when the files hold one. Reads them every second: watching for events misses
 * files that are replaced through links, as certificate managers do. A pair that does not fit is a pair half written:
 * the old one stays until it does.
 */
export function watchCertificate(
  files: CertificateFiles,
  {
    current,
    onChange,
    log,
  }: {
    readonly current: Certificate
    readonly onChange: (certificate: Certificate) => void
    readonly log: Logger
  },
): () => void {
  let inUse = current
  let refused: Certificate | undefined
  let looking = false
  let unreadable = false
  const look = async () => {
    const found: Certificate = { cert: await readFile(files.cert), key: await readFile(files.key) }
    unreadable = false
    if (isSame(found, inUse) || (refused && isSame(found, refused))) return
    try {
      createSecureContext({ ...keyExchange, ...found })
      onChange(found)
      inUse = found
      refused = undefined
      log.info({ validTo: new X509Certificate(found.cert).validTo }, 'TLS certificate changed')
    } catch (error) {
      refused = found
      log.warn({ err: error }, 'TLS certificate and key do not match; keeping the current pair')
    }
  }
  const timer = setInterval(() => {
    if (looking) return
    looking = true
    look()
      .catch((error) => {
        if (!unreadable) log.warn({ err: error }, 'TLS certificate unreadable; keeping the current one')
        unreadable = true
      })
      .finally(() => {
        looking = false
      })
  }, lookIntervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

function isSame(a: Certificate, b: Certificate): boolean {
  return a.cert.equals(b.cert) && a.key.equals(b.key)
}
