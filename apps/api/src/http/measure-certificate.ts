import { X509Certificate } from 'node:crypto'
import type { Metrics } from '../metrics.ts'
import type { Certificate } from './watch-certificate.ts'

/** Adds the expiry metric of the certificate in use. `change` sets its successor. */
export function measureCertificate(
  metrics: Metrics,
  current: Pick<Certificate, 'cert'>,
): { change(next: Pick<Certificate, 'cert'>): void } {
  let notAfterSeconds = readNotAfter(current)
  metrics.gauge('tallystick_certificate_not_after_timestamp_seconds', () => [{ value: notAfterSeconds }])
  return {
    change: (next) => {
      notAfterSeconds = readNotAfter(next)
    },
  }
}

function readNotAfter({ cert }: Pick<Certificate, 'cert'>): number {
  return Date.parse(new X509Certificate(cert).validTo) / 1000
}
