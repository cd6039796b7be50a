import type { X509Certificate } from 'node:crypto'
import { connect } from 'node:tls'
import type { Config } from '../config.ts'
import type { Findings } from './findings.ts'

const timeoutMs = 5_000

/** Whether the running service serves the certificate of the file. */
export async function checkServedCertificate(
  findings: Findings,
  { listen, certificate }: { readonly listen: Config['listen']; readonly certificate: X509Certificate },
): Promise<void> {
  if (listen.port === 0) return findings.skip('served', 'listen.port is 0: where the service listens is not known here')
  const served = await readServed(listen)
  if (typeof served === 'string') {
    const found = `no TLS on ${reachableHost(listen.host)} port ${listen.port} (${served})`
    findings.fail('served', found, 'Check listen.host and listen.port, and what listens there.')
  } else if (served.fingerprint256 === certificate.fingerprint256) {
    findings.ok('served', 'the running service serves it')
  } else {
    const found = `the running service serves another one, valid until ${served.validTo}`
    findings.fail('served', found, 'See its log for why it does not take up the file; restart it.')
  }
}

/** The address to reach a listener by that listens everywhere. */
export function reachableHost(host: string): string {
  return ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
}

function readServed({ host, port }: Config['listen']): Promise<X509Certificate | string> {
  return new Promise((resolve) => {
    // Whoever it is: the certificate is only compared, and nothing is sent.
    const socket = connect({ host: reachableHost(host), port, rejectUnauthorized: false, timeout: timeoutMs })
    const end = (result: X509Certificate | string) => {
      socket.destroy()
      resolve(result)
    }
    socket.once('secureConnect', () => end(socket.getPeerX509Certificate() ?? 'no certificate'))
    socket.once('timeout', () => end(`no answer within ${timeoutMs} ms`))
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'the connection broke'))
  })
}
