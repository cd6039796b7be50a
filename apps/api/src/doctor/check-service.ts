import type { Readiness } from '../admin/readiness.ts'
import type { ServiceProbe } from './find-service.ts'
import type { Findings } from './findings.ts'

/** Whether a service runs, and what it says of itself. */
export async function checkService(findings: Findings, service: ServiceProbe): Promise<void> {
  const { url } = service
  switch (service.state) {
    case 'absent':
      return findings.skip('running', `no service answers on ${url}: the checks are made without one`)
    case 'unauthorized':
      return findings.fail(
        'admin token',
        `the service on ${url} does not take the configured admin token`,
        'Set the variable or file that admin.token names to what the service was started with, or restart the service.',
      )
    case 'strange':
      return findings.fail(
        'running',
        `something listens on ${url} and does not answer like the admin listener (${service.why})`,
        'Check admin.host and admin.port in the configuration, and what listens there.',
      )
    case 'running': {
      const { ready, checks } = await service.get<Readiness>('/readyz')
      findings.ok('running', `a service answers on ${url}`)
      const wrong = checks.filter(({ ok, required }) => !ok && required)
      const faults = wrong.map(({ name, detail }) => `${name}: ${detail}`).join('; ')
      if (ready)
        return findings.ok('ready', `all ${checks.filter(({ required }) => required).length} of its own checks pass`)
      findings.fail('ready', `it says that it is not: ${faults}`, 'See the lines of these subjects below, and its log.')
    }
  }
}
