import { readFileSync } from 'node:fs'
import type { Metrics, Time } from '@tallystick/base'
import type { Logger } from 'pino'
import { createCutCounter } from '../connection/limit-connections.ts'
import { securityHeaders } from '../create-instance.ts'
import { createDateFormatter } from '../head.ts'
import { httpsRequired } from '../request/https-required.ts'
import { formatRawError } from '../response/raw-error.ts'
import { createTlsServer, type TlsServer } from './tls-server.ts'
import { type CertificateFiles, findDateProblem, watchCertificate } from './watch-certificate.ts'
import { watchTicketKeys } from './watch-ticket-keys.ts'

export type OpenTls = TlsServer & { readonly stopWatching: () => void }

type TicketFile = { readonly ticketKeys?: string | undefined }

type TlsContext = {
  readonly metrics: Metrics
  readonly time: Time
  readonly log: Logger
  readonly say: (line: string) => void
  readonly nextRequestId: () => string
}

/** Creates the TLS server from certificate files and reloads them when they change. */
export function openTls(files: CertificateFiles & TicketFile, context: TlsContext): OpenTls {
  const { metrics, log, say, time } = context
  const current = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
  const onResetFlood = createCutCounter(metrics, 'resets')
  const tls = createTlsServer({ ...current, answerPlain: createPlainAnswer(context), onResetFlood })
  const problem = findDateProblem(current.cert)
  if (problem) say(`WARNING: clients reject the certificate ${files.cert}: ${problem}`)
  const certificate = watchCertificate(files, { current, onChange: tls.setCertificate, log, time })
  metrics.gauge('tallystick_certificate_rejected', () => [{ value: certificate.isRejected() ? 1 : 0 }])
  const notAfter = 'tallystick_certificate_not_after_timestamp_seconds'
  metrics.gauge(notAfter, () => [{ value: certificate.notAfter() }])
  const stops = [certificate.stop, useTicketKeys(files.ticketKeys, { tls, log, time })]
  return { ...tls, stopWatching: () => stops.forEach((stop) => void stop()) }
}

/** Uses the ticket key of a file, so that a session of one replica is resumed on another. By default each has a random key. */
function useTicketKeys(
  path: string | undefined,
  { tls, log, time }: { readonly tls: TlsServer; readonly log: Logger; readonly time: Time },
): () => void {
  if (path === undefined) return () => undefined
  const current = readFileSync(path)
  tls.setTicketKeys(current)
  return watchTicketKeys(path, { current, onChange: tls.setTicketKeys, log, time })
}

/** Creates the function that counts a plain-HTTP request and returns its response. */
function createPlainAnswer({ metrics, time, nextRequestId }: TlsContext): (firstBytes: Buffer) => string {
  const refusals = metrics.counter('tallystick_plain_http_total')
  const formatDate = createDateFormatter()
  return (firstBytes) => {
    refusals.increment()
    return formatRawError(httpsRequired(), {
      requestId: nextRequestId(),
      date: formatDate(time.now()),
      headers: securityHeaders,
      head: firstBytes.subarray(0, 5).toString('latin1') === 'HEAD ',
    })
  }
}
