import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { periodAt } from '@tallystick/core'
import { compare, type Result, type Round } from '../result.ts'
import { createBenchKey, createSite, type Server, type Site, setBenchCurve } from '../service.ts'

const streamsWanted = 10_000
// For connections besides the streams: the database, the disk, the admin listener.
const filesReserved = 500
const rounds = 1
// Enough to open all streams on two cores.
const leadMs = 200_000
const script = (name: string) => fileURLToPath(new URL(`../servers/${name}`, import.meta.url))
// The last tenors of the event. Nothing else in a stream has them.
const eventEnd = '180,360]}'
const greeting = ': connected\nretry: 2000\nid: 1-00000000\n\n'

type Sample = { readonly kbPerStream: number; readonly firstMs: number; readonly lastMs: number }

/**
 * Measures many idle streams of `GET /events` over TLS: the memory of each, and the time from the boundary until the last
 * client has the new notes. The baseline is a bare server that writes the same bytes to as many streams. The clients are
 * another process on the same processors.
 */
export async function measureEvents(): Promise<Result[]> {
  const streams = Math.min(streamsWanted, openFileLimit() - filesReserved)
  process.stderr.write(`${streams} streams (limit of open files: ${openFileLimit()})\n`)
  const samples: { readonly own: Sample; readonly bare: Sample }[] = []
  for (let round = 0; round < rounds; round++) {
    const { sample: own, event } = await measureService(streams)
    samples.push({ own, bare: await measureBare(streams, event) })
  }
  const roundsOf = (read: (sample: Sample) => number): Round[] =>
    samples.map(({ own, bare }) => ({ value: read(own), baseline: read(bare) }))
  return [
    compare(
      { name: 'events.fanout', unit: 'ms', target: { atMost: 1.5 } },
      roundsOf(({ lastMs }) => lastMs),
    ),
    compare(
      { name: 'events.fanout.first', unit: 'ms' },
      roundsOf(({ firstMs }) => firstMs),
    ),
    compare(
      { name: 'events.memory', unit: 'KB', target: { atMost: 1.5 } },
      roundsOf(({ kbPerStream }) => kbPerStream),
    ),
  ]
}

async function measureService(streams: number): Promise<{ readonly sample: Sample; readonly event: string }> {
  const tls = { cert: 'cert.pem', key: 'key.pem' }
  const bounds = { connectionsMax: streams + 200, connectionsPerAddressMax: null }
  const listen = { host: '127.0.0.1', port: 0, ...bounds, eventStreamsPerKey: streams, eventStreamsMax: streams, tls }
  const site = createSite({ listen })
  setBenchCurve(site)
  const key = createBenchKey(site)
  const boundaryMs = Number(periodAt(BigInt(Math.floor(Date.now() / 1000))).end) * 1000
  const server = await site.start([script('shifted-server.js'), String(boundaryMs - leadMs)])
  const aheadMs = Number(/^ahead (-?\d+)$/m.exec(server.output)?.[1])
  const sample = await measureStreams({ site, server, key, streams, atMs: boundaryMs - aheadMs })
  const event = await readNotes(site, { server, key })
  await stop(server.child)
  site.remove()
  return { sample, event }
}

async function measureBare(streams: number, event: string): Promise<Sample> {
  const site = createSite({})
  const paths = { greeting: join(site.directory, 'greeting'), event: join(site.directory, 'event') }
  writeFileSync(paths.greeting, greeting)
  writeFileSync(paths.event, `id: 2-00000000\nevent: notes\ndata: ${event}\n\n`)
  const files = ['cert.pem', 'key.pem'].map((name) => join(site.directory, name))
  const options = [...files, paths.greeting, paths.event, String(leadMs)]
  const server = await site.start([script('bare-stream-server.js'), ...options])
  const atMs = Number(/^at (\d+)$/m.exec(server.output)?.[1])
  const sample = await measureStreams({ site, server, key: 'none', streams, atMs })
  await stop(server.child)
  site.remove()
  return sample
}

async function measureStreams({
  site,
  server,
  key,
  streams,
  atMs,
}: {
  readonly site: Site
  readonly server: Server
  readonly key: string
  readonly streams: number
  readonly atMs: number
}): Promise<Sample> {
  const rssBefore = readRssKb(server.child)
  const options = [String(server.port), site.caPath, String(streams), '/events?types=notes', key, eventEnd]
  const clients = spawn(process.execPath, [script('stream-clients.js'), ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => clients.kill('SIGKILL'))
  const output = createOutput(clients)
  await output.wait(/^open$/m)
  if (Date.now() > atMs - 1_000) throw new Error('The streams were not open before the boundary. Raise leadMs.')
  const kbPerStream = (readRssKb(server.child) - rssBefore) / streams
  const [, first = '', last = ''] = await output.wait(/^received (\d+) (\d+)$/m)
  clients.kill('SIGKILL')
  return { kbPerStream, firstMs: Number(first) - atMs, lastMs: Number(last) - atMs }
}

/** Collects the output of a process. `wait` rejects if it ends before a pattern matches. */
function createOutput(child: ChildProcess) {
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  const exited = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the clients exited with ${code}`)))
  exited.catch(() => undefined)
  const find = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(output)
      if (match) return match
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
