import { X509Certificate } from 'node:crypto'
import type { Metrics } from '@tallystick/base'
import type { Certificate } from './watch-certificate.ts'

/** Adds the metrics of the certificate in use. `change` sets its successor, `reject` whether the files have another one. */
export function measureCertificate(
  metrics: Metrics,
  current: Pick<Certificate, 'cert'>,
): { change(next: Pick<Certificate, 'cert'>): void; reject(isRejected: boolean): void } {
  let rejected = 0
  metrics.gauge('tallystick_certificate_rejected', () => [{ value: rejected }])
  let notAfterSeconds = readNotAfter(current)
  metrics.gauge('tallystick_certificate_not_after_timestamp_seconds', () => [{ value: notAfterSeconds }])
  return {
    change: (next) => {
      notAfterSeconds = readNotAfter(next)
    },
    reject: (isRejected) => {
      rejected = isRejected ? 1 : 0
    },
  }
}

function readNotAfter({ cert }: Pick<Certificate, 'cert'>): number {
  return Date.parse(new X509Certificate(cert).validTo) / 1000
}
