import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { fileURLToPath } from 'node:url'
import { crossBoundary, endOfPeriod } from '../crossing.ts'
import type { Result } from '../result.ts'
import { benchLog, createBenchKey, createSite, type Server, type Site, setBenchCurve } from '../service.ts'

const aheadServer = fileURLToPath(new URL('../servers/ahead-server.js', import.meta.url))
const leadMs = 20_000
const leadMsPerReplica = 5_000
const afterMs = 3_000
const connections = 2
// The clocks of the generator and of the service count whole milliseconds.
const toleranceMs = 2

/**
 * Measures the time from a boundary until all replicas serve the new notes, under load. The spread has the first and the
 * last replica. Throws if a request fails, if one sent after the boundary gets old notes, or if two replicas serve
 * different bytes.
 */
export async function measureClusterBoundary(databaseUrl: string, sizes: readonly number[]): Promise<Result[]> {
  const site = createSite({ database: databaseUrl, log: benchLog })
  setBenchCurve(site)
  const secret = createBenchKey(site)
  const results: Result[] = []
  let boundaryMs = endOfPeriod(Date.now())
  for (const size of sizes) {
    results.push(await crossTogether(site, { size, secret, boundaryMs }))
    boundaryMs = endOfPeriod(boundaryMs)
  }
  site.remove()
  return results
}

async function crossTogether(
  site: Site,
  { size, secret, boundaryMs }: { readonly size: number; readonly secret: string; readonly boundaryMs: number },
): Promise<Result> {
  const atMs = Date.now() + leadMs + size * leadMsPerReplica
  const aheadMs = boundaryMs - atMs
  const start = (index: number) => site.start([aheadServer, String(aheadMs), site.configureReplica(`replica-${index}`)])
  // The first one alone: it migrates the database and signs.
  const replicas = [await start(0)]
  replicas.push(...(await Promise.all(Array.from({ length: size - 1 }, (_, index) => start(index + 1)))))
  if (Date.now() > atMs - 2_000) throw new Error('The replicas were not ready before the boundary. Raise leadMs.')
  const request = Buffer.from(`GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${secret}\r\n\r\n`)
  const crossings = replicas.map(({ port }) =>
    crossBoundary({ port, ca: site.ca, connections }, { request, atMs, afterMs, toleranceMs }),
  )
  const lags = (await Promise.all(crossings)).map(({ lagMs }) => lagMs)
  const bodies = await Promise.all(replicas.map((replica) => readNotes(site, { replica, secret })))
  if (new Set(bodies).size !== 1) throw new Error('Two replicas serve different notes of one period.')
  await Promise.all(replicas.map(stop))
  const last = Math.max(...lags)
  return {
    name: `cluster.boundary.${size}`,
    value: last,
    unit: 'ms',
    baseline: null,
    ratio: null,
    spread: [Math.min(...lags), last],
    target: { valueAtMost: 1_000 },
  }
}

async function readNotes(
  { ca }: Site,
  { replica, secret }: { readonly replica: Server; readonly secret: string },
): Promise<string> {
  const sent = get(`https://localhost:${replica.port}/notes`, { ca, headers: { 'x-api-key': secret } })
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return (await response.toArray()).join('')
}

async function stop({ child }: Server): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
