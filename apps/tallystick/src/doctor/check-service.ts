import type { ServiceProbe } from './find-service.ts'
import type { Findings } from './findings.ts'

/** Checks whether a service runs, and its readiness. */
export async function checkService(findings: Findings, service: ServiceProbe): Promise<void> {
  const { url } = service
  switch (service.state) {
    case 'absent':
      return findings.skip('running', `no service answers on ${url}: checking without one`)
    case 'unauthorized': {
      const advice = 'Set admin.token to the token the service was started with, or restart the service.'
      return findings.fail('admin token', `the service on ${url} rejects the configured admin token`, advice)
    }
    case 'unrecognized': {
      const advice = 'Check admin.host and admin.port in the configuration, and which process listens there.'
      return findings.fail('running', `${url} does not answer like the admin listener (${service.reason})`, advice)
    }
    case 'running': {
      findings.ok('running', `a service answers on ${url}`)
      const { ready, findings: found } = await service.readReadiness()
      const wrong = found.filter(({ severity }) => severity === 'unready' || (ready && severity !== 'ok'))
      const faults = wrong.map(({ subject, message }) => `${subject}: ${message}`).join('; ')
      if (!ready) return findings.fail('ready', `it is not ready: ${faults}`, seeBelow)
      if (wrong.length > 0) return findings.warn('ready', `it serves notes, but is degraded: ${faults}`, seeBelow)
      findings.ok('ready', `all ${found.length} of its checks pass`)
    }
  }
}

const seeBelow = 'See the lines of these subjects below, and its log.'
