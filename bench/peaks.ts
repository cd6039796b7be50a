import { writeFileSync } from 'node:fs'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Target } from './load.ts'
import { compare, type Result, type Target as ResultTarget, type Round } from './result.ts'
import { createBenchKey, type Server, type Site } from './service.ts'
import { measurePeak } from './wrk.ts'

const bareServer = fileURLToPath(new URL('./servers/bare-server.js', import.meta.url))
// The highest limit that the service accepts.
const rpmMax = 1_000_000

export type Headers = Readonly<Record<string, string>>

/** Creates limited keys, to include counting and its headers. They are used in turn, so that none reaches its limit. */
export function createKeyHeaders(site: Site): (round: number) => Headers {
  const secrets = Array.from({ length: 3 }, () => createBenchKey(site, rpmMax))
  return (round) => ({ 'x-api-key': secrets[round % secrets.length] as string, 'x-forwarded-proto': 'https' })
}

export type Fetched = { readonly etag: string; readonly body: Buffer; readonly head: readonly string[] }

/** Fetches a response. Its head ends before the connection headers, which each server sets. */
export function fetchOnce({ port, ca }: Target, path: string, headers: Headers): Promise<Fetched> {
  const request = ca === undefined ? requestHttp : requestHttps
  return new Promise((resolve, reject) => {
    const options = { port, path, headers, ca, host: 'localhost', agent: false }
    request(options, (response) => {
      const { rawHeaders, headers: received } = response
      const head = rawHeaders.slice(0, rawHeaders.indexOf('Connection'))
      buffer(response).then((body) => resolve({ etag: String(received.etag), body, head }), reject)
    })
      .on('error', reject)
      .end()
  })
}

/** Starts a server that sends these bytes over TLS or plain HTTP, and does nothing else. */
export function startBare(
  site: Site,
  { body, head, isTls }: Pick<Fetched, 'body' | 'head'> & { readonly isTls: boolean },
): Promise<Server> {
  const name = `bare-${Math.random().toString(36).slice(2)}`
  const [bodyPath, headPath] = [join(site.directory, `${name}.body`), join(site.directory, `${name}.head`)]
  writeFileSync(bodyPath, body)
  writeFileSync(headPath, JSON.stringify(head))
  const certificate = isTls ? ['cert.pem', 'key.pem'].map((file) => join(site.directory, file)) : []
  return site.start([bareServer, bodyPath, headPath, ...certificate])
}

/** A figure: the peak rate of requests for a path, against a baseline. */
export type PeakFigure = {
  readonly name: string
  readonly target?: ResultTarget
  readonly path: string
  readonly server: Target
  readonly baseline: Target
  /** The same path by default. */
  readonly baselinePath?: string
  readonly headers?: Headers | undefined
}

/**
 * Measures the peaks of figures in turns with those of their baselines: many short rounds, so that other load on the machine
 * affects both sides equally. The baseline of a round is the mean of before and after, because the speed of the machine
 * changes from second to second.
 */
export async function measurePeaks(
  figures: readonly PeakFigure[],
  { rounds, headersOf }: { readonly rounds: number; readonly headersOf: (round: number) => Headers },
): Promise<Result[]> {
  const peakOf = ({ port, ca }: Target, { path, headers }: Pick<PeakFigure, 'path' | 'headers'>, round: number) =>
    measurePeak({ port, ca, path, seconds: 1, headers: { ...headersOf(round), ...headers } })
  const baselineOf = (figure: PeakFigure, round: number) =>
    peakOf(figure.baseline, { path: figure.baselinePath ?? figure.path, headers: figure.headers }, round)
  const measured = figures.map((figure) => ({ figure, rounds: [] as Round[] }))
  // Warm-up of both sides.
  for (const figure of figures) {
    await peakOf(figure.server, figure, 0)
    await baselineOf(figure, 0)
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { figure, rounds: done } of measured) {
      const before = await baselineOf(figure, round)
      const value = await peakOf(figure.server, figure, round)
      done.push({ value, baseline: (before + (await baselineOf(figure, round))) / 2 })
    }
  }
  return measured.map(({ figure: { name, target }, rounds: done }) => compare({ name, unit: 'req/s', target }, done))
}
