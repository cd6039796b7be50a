import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKeyHeaders, fetchOnce, measurePeaks } from '../peaks.ts'
import type { Result } from '../result.ts'
import { hasNginx, startNginx } from '../servers/nginx.ts'
import { createSite, setBenchCurve } from '../service.ts'

const rounds = 12

/** Measures how far `GET /notes` over TLS is from the limit of the core: nginx with the same body as a file. */
export async function measureLimit(): Promise<Result[]> {
  if (!hasNginx) {
    process.stderr.write('limit: not measured, because nginx is not installed\n')
    return []
  }
  const site = createSite({}, {}, true)
  setBenchCurve(site)
  const headersOf = createKeyHeaders(site)
  const { child, port } = await site.serve()
  const service = { port, ca: site.ca }
  const { body } = await fetchOnce(service, '/notes', headersOf(0))
  writeFileSync(join(site.directory, 'static.json'), body)
  const nginx = await startNginx(site, { limit: port })
  const [value] = await measurePeaks(
    [{ name: 'limit.notes', server: service, baseline: nginx.limit, path: '/notes', baselinePath: '/static' }],
    { rounds, headersOf },
  )
  for (const process of [child, nginx.child]) process.kill('SIGKILL')
  site.remove()
  return value ? [value] : []
}
