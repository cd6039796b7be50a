import { createKeyHeaders, fetchOnce, measurePeaks, startBare } from '../peaks.ts'
import type { Result } from '../result.ts'
import { hasNginx, startNginx } from '../servers/nginx.ts'
import { createSite, setBenchCurve } from '../service.ts'
import { filter } from './notes.ts'

const rounds = 12

/**
 * Measures `GET /notes` over plain HTTP, as behind a proxy, against bare servers that return the same bytes, directly and
 * through nginx if it is installed.
 */
export async function measureProxy(): Promise<Result[]> {
  const listen = { host: '127.0.0.1', port: 0, publicRpm: null, proxy: { trust: ['127.0.0.1'] } }
  const site = createSite({ listen }, {}, true)
  setBenchCurve(site)
  const headersOf = createKeyHeaders(site)
  const service = await site.serve()
  const all = await fetchOnce({ port: service.port }, '/notes', headersOf(0))
  const filtered = await fetchOnce({ port: service.port }, filter, headersOf(0))
  const bare = await startBare(site, { ...all, isTls: false })
  const bareFiltered = await startBare(site, { ...filtered, isTls: false })
  const common = { server: { port: service.port }, baseline: { port: bare.port }, path: '/notes' }
  const target = { atLeast: 0.95 }
  const proxied = hasNginx ? await startNginx(site, { service: service.port, bare: bare.port }) : undefined
  const results = await measurePeaks(
    [
      { ...common, name: 'proxy.rps', target },
      { ...common, name: 'proxy.filter', target, path: filter, baseline: { port: bareFiltered.port } },
      { ...common, name: 'proxy.304', target: { atLeast: 1 }, headers: { 'if-none-match': all.etag } },
      ...(proxied ? [{ ...common, name: 'proxy.nginx', server: proxied.service, baseline: proxied.bare }] : []),
    ],
    { rounds, headersOf },
  )
  for (const child of [service.child, bare.child, bareFiltered.child, proxied?.child]) child?.kill('SIGKILL')
  site.remove()
  return results
}
