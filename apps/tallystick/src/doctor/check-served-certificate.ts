import type { X509Certificate } from 'node:crypto'
import { connect } from 'node:tls'
import type { Config, Findings } from '@tallystick/service'

const timeoutMs = 5_000

/** Checks that the running service serves the certificate in the file. */
export async function checkServedCertificate(
  findings: Findings,
  { listen, certificate }: { readonly listen: Config['listen']; readonly certificate: X509Certificate },
): Promise<void> {
  if (listen.port === 0) return findings.skip('served', 'listen.port is 0: the service’s port is unknown')
  const served = await readServed(listen)
  if (typeof served === 'string') {
    const found = `no TLS on ${reachableHost(listen.host)} port ${listen.port} (${served})`
    findings.fail('served', found, 'Check listen.host and listen.port, and which process listens there.')
  } else if (served.fingerprint256 === certificate.fingerprint256) {
    findings.ok('served', 'the running service serves this certificate')
  } else {
    const found = `the running service serves another one, valid until ${served.validTo}`
    findings.fail('served', found, 'Check its log for why it did not load the file, and restart it.')
  }
}

/** Returns an address at which a listener can be reached, also if it listens on all interfaces. */
export function reachableHost(host: string): string {
  return ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
}

function readServed({ host, port }: Config['listen']): Promise<X509Certificate | string> {
  return new Promise((resolve) => {
    // Not verified: the certificate is only compared, and nothing is sent.
    const socket = connect({ host: reachableHost(host), port, rejectUnauthorized: false, timeout: timeoutMs })
    const end = (result: X509Certificate | string) => {
      socket.destroy()
      resolve(result)
    }
    socket.once('secureConnect', () => end(socket.getPeerX509Certificate() ?? 'no certificate'))
    socket.once('timeout', () => end(`no response within ${timeoutMs} ms`))
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'connection lost'))
  })
}
