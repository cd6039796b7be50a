import { writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { measureAtRate, measureLoad } from '../load.ts'
import { compare, compareMedians, median, type Result } from '../result.ts'
import { createBenchKey, createSite, type Server, setBenchCurve } from '../service.ts'
import { measurePeak } from '../wrk.ts'

// Many short rounds, so that other load on the machine affects both sides equally.
const rounds = 24
const roundSeconds = 1
// Even shorter rounds: a pause of the machine is the p99 of its round, so most rounds must have none.
const latencyRounds = 100
const latencyRoundSeconds = 0.25
const bareServer = fileURLToPath(new URL('../servers/bare-server.js', import.meta.url))

/** Measures `GET /notes` with key, rate limit and all headers, against a bare server that returns the same bytes. */
export async function measureNotes(): Promise<Result[]> {
  const site = createSite({})
  const { ca, directory } = site
  setBenchCurve(site)
  // Limited keys, to include counting and its headers. Used in turn, so that none reaches its limit.
  const secrets = Array.from({ length: 3 }, () => createBenchKey(site, rpmMax))
  const keyOf = (round: number) => ({ 'x-api-key': secrets[round % secrets.length] as string })
  const service = await site.serve()
  const { etag, body, head } = await fetchOnce({ port: service.port, ca, headers: keyOf(0) })
  writeFileSync(join(directory, 'body.json'), body)
  const startBare = (name: string, headers: readonly string[]) => {
    writeFileSync(join(directory, name), JSON.stringify(headers))
    return site.start([bareServer, ...['cert.pem', 'key.pem', 'body.json', name].map((file) => join(directory, file))])
  }
  // One baseline with the same head and body, and one with the shortest possible head.
  const bare = await startBare('head.json', head)
  const shortHeadServer = await startBare('short-head.json', head.slice(head.indexOf('content-type')).slice(0, 4))

  const load = { ca, path: '/notes', seconds: roundSeconds }
  const peaks = []
  const unchanged = []
  const againstShortHead = []
  const peakOf = ({ port }: Server, headers: Readonly<Record<string, string>>) =>
    measurePeak({ ...load, port, headers })
  // Warm-up of both sides.
  await peakOf(service, keyOf(0))
  let before = await peakOf(bare, keyOf(0))
  for (let round = 0; round < rounds; round++) {
    const headers = keyOf(round)
    const value = await peakOf(service, headers)
    const conditional = await peakOf(service, { ...headers, 'if-none-match': etag })
    againstShortHead.push({ baseline: await peakOf(shortHeadServer, headers), value })
    const after = await peakOf(bare, headers)
    // Mean of before and after, because the speed of the machine changes from second to second.
    const baseline = (before + after) / 2
    peaks.push({ baseline, value })
    unchanged.push({ baseline, value: conditional })
    before = after
  }
  const rps = compare({ name: 'notes.rps', unit: 'req/s', target: { atLeast: 0.9 } }, peaks)
  const requestOf = (round: number) =>
    `GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${keyOf(round)['x-api-key']}\r\n\r\n`
  // Half of this generator's peak with the bare server. At half of the peak of `wrk`, generator and server would have no
  // headroom on two cores, and the queueing would say little about the server.
  const bestOf = async (round: number) =>
    (await measureLoad({ port: bare.port, ca, request: requestOf(round), seconds: roundSeconds })).rate
  const rate = median([await bestOf(0), await bestOf(1), await bestOf(2)]) / 2
  const atRate = async (port: number, round: number) => {
    const load = { port, ca, request: requestOf(round), seconds: latencyRoundSeconds, rate }
    return (await measureAtRate(load)).p99Ms
  }
  const latencies = []
  await atRate(bare.port, 0)
  await atRate(service.port, 0)
  for (let round = 0; round < latencyRounds; round++)
    latencies.push({ baseline: await atRate(bare.port, round), value: await atRate(service.port, round) })
  for (const { child } of [service, bare, shortHeadServer]) child.kill('SIGKILL')
  site.remove()
  return [
    rps,
    compare({ name: 'notes.rps.short', unit: 'req/s' }, againstShortHead),
    compareMedians({ name: 'notes.p99', unit: 'ms', target: { atMost: 1.25 } }, latencies),
    compare({ name: 'notes.304', unit: 'req/s', target: { atLeast: 1 } }, unchanged),
  ]
}

// The highest limit that the service accepts.
const rpmMax = 1_000_000

type Fetched = { readonly etag: string; readonly body: Buffer; readonly head: readonly string[] }

async function fetchOnce({ port, ...options }: { port: number; ca: string; headers: Record<string, string> }) {
  return new Promise<Fetched>((resolve, reject) => {
    get(`https://localhost:${port}/notes`, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const { rawHeaders, headers } = response
        // Connection headers are set by each server.
        const head = rawHeaders.slice(0, rawHeaders.indexOf('Connection'))
        resolve({ etag: String(headers.etag), body: Buffer.concat(chunks), head })
      })
    }).on('error', reject)
  })
}
