import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Crossing, crossBoundary, endOfPeriod } from '../crossing.ts'
import { compare, median, type Result } from '../result.ts'
import { benchLog, createBenchKey, createSite, type Server, type Site, setBenchCurve } from '../service.ts'

const streamsWanted = 10_000
// Eight connections keep the service busy, and the others are open, as at most boundaries.
const [busy, visitors] = [8, 992]
// For connections besides the streams and the load: the database, the disk, the admin listener.
const filesReserved = 500
// Boundaries without load, and then with it.
const boundaries = 3
// Enough to sign the next period and to open the connections of the load.
const leadMs = 15_000
const afterMs = 1_000
// The service's clock counts whole milliseconds.
const toleranceMs = 1
const script = (name: string) => fileURLToPath(new URL(`../servers/${name}`, import.meta.url))
// The last tenors of the event. Nothing else in a stream has them.
const eventEnd = '180,360]}'
const greeting = ': connected\nretry: 2000\nid: 1-00000000\n\n'

type Fanout = { readonly firstMs: number; readonly lastMs: number }
type Sample = { readonly kbPerStream: number; readonly fanouts: readonly Fanout[] }

/**
 * Measures many idle streams of `GET /events` over TLS: the memory of each, the time from the boundary until the last client
 * has the new notes, and what `GET /notes` does meanwhile. The baseline is a bare server that writes the same bytes to as
 * many streams. The clients are another process on the same processors.
 */
export async function measureEvents(): Promise<Result[]> {
  const streams = Math.min(streamsWanted, openFileLimit() - filesReserved - busy - visitors)
  process.stderr.write(`${streams} streams (limit of open files: ${openFileLimit()})\n`)
  const { sample: own, event, crossings } = await measureService(streams)
  const bare = await measureBare(streams, event)
  const roundsOf = (read: (fanout: Fanout) => number) =>
    own.fanouts.map((fanout, index) => ({ value: read(fanout), baseline: read(bare.fanouts[index] as Fanout) }))
  const memory = { value: own.kbPerStream, baseline: bare.kbPerStream }
  return [
    compare(
      { name: 'events.fanout', unit: 'ms', target: { valueAtMost: 500 } },
      roundsOf(({ lastMs }) => lastMs),
    ),
    compare(
      { name: 'events.fanout.first', unit: 'ms' },
      roundsOf(({ firstMs }) => firstMs),
    ),
    compare({ name: 'events.memory', unit: 'KB', target: { atMost: 1.5 } }, [memory]),
    ...describeCrossings(crossings),
  ]
}

/** The lag is the worst, as in `boundary.lag`. The baseline of both is the median time of a request under that load. */
function describeCrossings(crossings: readonly Crossing[]): Result[] {
  const baseline = median(crossings.map(({ p50Ms }) => p50Ms))
  const figure = (name: string, values: readonly number[], value: number): Result => ({
    ...{ name, value, unit: 'ms', baseline, ratio: value / baseline },
    spread: [Math.min(...values), Math.max(...values)],
  })
  const lags = crossings.map(({ lagMs }) => lagMs)
  const slowest = crossings.map(({ p99AfterMs }) => p99AfterMs)
  return [
    { ...figure('events.boundary.lag', lags, Math.max(...lags)), target: { valueAtMost: 1 } },
    figure('events.boundary.p99', slowest, median(slowest)),
  ]
}

async function measureService(streams: number) {
  const tls = { cert: 'cert.pem', key: 'key.pem' }
  const bounds = { connectionsMax: streams + busy + visitors + 200, connectionsPerAddressMax: null }
  const ofStreams = { eventStreamsPerKey: streams, eventStreamsMax: streams }
  const site = createSite({
    log: benchLog,
    listen: { host: '127.0.0.1', port: 0, publicRpm: null, ...bounds, ...ofStreams, tls },
  })
  setBenchCurve(site)
  const key = createBenchKey(site)
  const ends = [endOfPeriod(Date.now())]
  while (ends.length <= 2 * boundaries) ends.push(endOfPeriod(ends.at(-1) as number))
  const instants = [Date.now(), ...ends.map((endMs) => endMs - leadMs)]
  const server = await site.start([
    ...['--import', script('watch-loop.js')],
    ...[script('shifted-server.js'), ...instants.map(String)],
  ])
  const output = createOutput(server.child)
  const clients = await openStreams(site, { server, key, streams })
  /** Sets the clock before the next boundary and returns when that is. */
  const approach = async () => {
    server.child.kill('SIGHUP')
    return (ends.shift() as number) - Number((await output.wait(/^ahead (-?\d+)$/m))[1])
  }
  const fanouts: Fanout[] = []
  for (let round = 0; round < boundaries; round++) fanouts.push(await clients.receive(await approach()))
  const request = Buffer.from(`GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n\r\n`)
  const load = { port: server.port, ca: site.ca, connections: busy, visitors }
  /** Crosses a boundary under load. The event loop is watched in one of them only, because that takes processor time. */
  const cross = async (isWatched: boolean) => {
    const atMs = await approach()
    const crossing = crossBoundary(load, { request, atMs, afterMs, toleranceMs })
    await sleep(atMs - afterMs - Date.now())
    if (isWatched) server.child.kill('SIGUSR2')
    const { lastMs } = await clients.receive(atMs)
    const crossed = await crossing
    if (isWatched) server.child.kill('SIGUSR2')
    process.stderr.write(`under load the last stream had the event after ${lastMs} ms\n`)
    return crossed
  }
  const crossings: Crossing[] = []
  for (let round = 0; round < boundaries; round++) crossings.push(await cross(false))
  await cross(true)
  const event = await readNotes(site, { server, key })
  await clients.stop()
  await stop(server.child)
  site.remove()
  return { sample: { kbPerStream: clients.kbPerStream, fanouts }, event, crossings }
}

async function measureBare(streams: number, event: string): Promise<Sample> {
  const site = createSite({})
  const paths = { greeting: join(site.directory, 'greeting'), event: join(site.directory, 'event') }
  writeFileSync(paths.greeting, greeting)
  writeFileSync(paths.event, `id: 2-00000000\nevent: notes\ndata: ${event}\n\n`)
  const files = ['cert.pem', 'key.pem'].map((name) => join(site.directory, name))
  const server = await site.start([script('bare-stream-server.js'), ...files, paths.greeting, paths.event])
  const output = createOutput(server.child)
  const clients = await openStreams(site, { server, key: 'none', streams })
  const fanouts: Fanout[] = []
  for (let round = 0; round < boundaries; round++) {
    await sleep(afterMs)
    server.child.kill('SIGHUP')
    fanouts.push(await clients.receive(Number((await output.wait(/^at (\d+)$/m))[1])))
  }
  await clients.stop()
  await stop(server.child)
  site.remove()
  return { kbPerStream: clients.kbPerStream, fanouts }
}

/** Opens streams. `receive` resolves when each has the event of an instant. */
async function openStreams(
  site: Site,
  { server, key, streams }: { readonly server: Server; readonly key: string; readonly streams: number },
) {
  const rssBefore = readRssKb(server.child)
  const options = [String(server.port), site.caPath, String(streams), '/events?types=notes', key, eventEnd]
  const child = spawn(process.execPath, [script('stream-clients.js'), ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const output = createOutput(child)
  await output.wait(/^open$/m)
  return {
    kbPerStream: (readRssKb(server.child) - rssBefore) / streams,
    receive: async (atMs: number): Promise<Fanout> => {
      const [, first = '', last = ''] = await output.wait(/^received (\d+) (\d+)$/m)
      return { firstMs: Number(first) - atMs, lastMs: Number(last) - atMs }
    },
    stop: () => stop(child),
  }
}

/** Collects the output of a process. `wait` takes what matches, and rejects if the process ends before. */
function createOutput(child: ChildProcess) {
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  const exited = once(child, 'exit').then(([code]) => Promise.reject(new Error(`a process exited with ${code}`)))
  exited.catch(() => undefined)
  const find = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(output)
      if (match) {
        output = output.slice(match.index + match[0].length)
        return match
      }
      await once(child.stdout as NodeJS.ReadableStream, 'data')
    }
  }
  return { wait: (pattern: RegExp) => Promise.race([find(pattern), exited]) }
}

/** Returns the body of `GET /notes`, which is the data of the event. */
async function readNotes(
  { ca }: Site,
  { server, key }: { readonly server: Server; readonly key: string },
): Promise<string> {
  const sent = get(`https://localhost:${server.port}/notes?chainid=324`, { ca, headers: { 'x-api-key': key } })
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return (await response.toArray()).join('')
}

function readRssKb({ pid }: ChildProcess): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]))
}

function openFileLimit(): number {
  const limit = String(execFileSync('sh', ['-c', 'ulimit -n'])).trim()
  return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit)
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
