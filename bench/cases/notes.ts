import { measureAtRate, measureLoad } from '../load.ts'
import { createKeyHeaders, fetchOnce, measurePeaks, startBare } from '../peaks.ts'
import { compareMedians, median, type Result } from '../result.ts'
import { createSite, setBenchCurve } from '../service.ts'

const rounds = 12
// Even shorter rounds: a pause of the machine is the p99 of its round, so most rounds must have none.
const latencyRounds = 100
const latencyRoundSeconds = 0.25
export const filter = '/notes?maturity=7,14,30'

/** Measures `GET /notes` with key, rate limit and all headers, against bare servers that return the same bytes. */
export async function measureNotes(): Promise<Result[]> {
  const site = createSite({}, {}, true)
  setBenchCurve(site)
  const headersOf = createKeyHeaders(site)
  const { ca } = site
  const service = { ...(await site.serve()), ca }
  const all = await fetchOnce(service, '/notes', headersOf(0))
  const filtered = await fetchOnce(service, filter, headersOf(0))
  const bareOf = async (bytes: Pick<typeof all, 'body' | 'head'>) => ({
    ...(await startBare(site, { ...bytes, isTls: true })),
    ca,
  })
  // Baselines with the same head and body, and one with the shortest possible head.
  const bare = await bareOf(all)
  const bareFiltered = await bareOf(filtered)
  const short = await bareOf({ ...all, head: all.head.slice(all.head.indexOf('content-type')).slice(0, 4) })
  const common = { server: service, baseline: bare, path: '/notes' }
  const target = { atLeast: 0.95 }
  const unchanged = { 'if-none-match': all.etag }
  const peaks = await measurePeaks(
    [
      { ...common, name: 'notes.rps', target },
      { ...common, name: 'notes.filter', target, path: filter, baseline: bareFiltered },
      { ...common, name: 'notes.rps.short', baseline: short },
      { ...common, name: 'notes.304', target: { atLeast: 1 }, headers: unchanged },
    ],
    { rounds, headersOf },
  )
  const latencies = await measureLatencies({ service, bare, ca }, (round) => headersOf(round)['x-api-key'] ?? '')
  for (const { child } of [service, bare, bareFiltered, short]) child.kill('SIGKILL')
  site.remove()
  return [...peaks, ...latencies]
}

type Compared = { readonly service: Port; readonly bare: Port; readonly ca: string }
type Port = { readonly port: number }

/** Measures how long requests take at half of the bare server's peak. */
async function measureLatencies({ service, bare, ca }: Compared, keyOf: (round: number) => string): Promise<Result[]> {
  const requestOf = (round: number) =>
    `GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${keyOf(round)}\r\nx-forwarded-proto: https\r\n\r\n`
  // Half of this generator's peak with the bare server. At half of the peak of `wrk`, generator and server would have no
  // headroom on two cores, and the queueing would say little about the server.
  const bestOf = async (round: number) =>
    (await measureLoad({ port: bare.port, ca, request: requestOf(round), seconds: 1 })).rate
  const rate = median([await bestOf(0), await bestOf(1), await bestOf(2)]) / 2
  const atRate = ({ port }: Port, round: number) =>
    measureAtRate({ port, ca, request: requestOf(round), seconds: latencyRoundSeconds, rate })
  const p99 = []
  const p999 = []
  await atRate(bare, 0)
  await atRate(service, 0)
  for (let round = 0; round < latencyRounds; round++) {
    const baseline = await atRate(bare, round)
    const value = await atRate(service, round)
    p99.push({ baseline: baseline.p99Ms, value: value.p99Ms })
    p999.push({ baseline: baseline.p999Ms, value: value.p999Ms })
  }
  return [
    compareMedians({ name: 'notes.p99', unit: 'ms', target: { atMost: 1.25 } }, p99),
    compareMedians({ name: 'notes.p99.9', unit: 'ms' }, p999),
  ]
}
