import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { periodAt } from '@tallystick/core'
import { closeAll, openConnections, quantile, type Target } from './load.ts'
import { median, type Result } from './result.ts'
import { benchLog, createBenchKey, createSite, setBenchCurve } from './service.ts'

const boundaries = 5
// Long enough to end the collections of a growing heap: a service in production has been running for hours.
const leadMs = 8_000
const afterMs = 1_000
// Just enough to keep the service busy. More connections would add queueing time to the lag.
const connectionCount = 8
const shiftedServer = fileURLToPath(new URL('shifted-server.js', import.meta.url))

type Round = { readonly lagMs: number; readonly p50Ms: number }

/**
 * Measures the time from a boundary to the first response with the new notes at full load, as the maximum of several
 * boundaries. The baseline is the median time of a request under that load, which is the lower limit of the lag. Throws if
 * a request sent after the boundary gets an old note.
 */
export async function measureBoundary(): Promise<Result[]> {
  const site = createSite({ log: benchLog })
  setBenchCurve(site)
  const secret = createBenchKey(site)
  const request = Buffer.from(`GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${secret}\r\n\r\n`)
  const rounds: Round[] = []
  let boundaryMs = endOfPeriod(Date.now())
  for (let round = 0; round < boundaries; round++) {
    const server = await site.start([shiftedServer, String(boundaryMs - leadMs)])
    const aheadMs = Number(/^ahead (-?\d+)$/m.exec(server.output)?.[1])
    rounds.push(await crossBoundary({ port: server.port, ca: site.ca, request, atMs: boundaryMs - aheadMs }))
    await stop(server.child)
    boundaryMs = endOfPeriod(boundaryMs)
  }
  site.remove()
  const lags = rounds.map(({ lagMs }) => lagMs).sort((a, b) => a - b)
  return [
    {
      name: 'boundary.lag',
      value: lags.at(-1) ?? Number.NaN,
      unit: 'ms',
      baseline: median(rounds.map(({ p50Ms }) => p50Ms)),
      ratio: (lags.at(-1) ?? Number.NaN) / median(rounds.map(({ p50Ms }) => p50Ms)),
      spread: [lags[0] ?? Number.NaN, lags.at(-1) ?? Number.NaN],
      target: { valueAtMost: 5 },
    },
  ]
}

/** Sends requests until a second after the boundary. */
async function crossBoundary({
  request,
  atMs,
  ...target
}: Target & { readonly request: Buffer; readonly atMs: number }): Promise<Round> {
  const { connections, failed } = await openConnections({ ...target, connections: connectionCount })
  const now = createFineClock()
  const times = new Float64Array(responsesMax)
  let answers = 0
  let oldTag: string | undefined
  let firstNewAtMs = Number.POSITIVE_INFINITY
  const run = Promise.all(
    connections.map(
      (connection) =>
        new Promise<void>((resolve, reject) => {
          const send = () => {
            const sentAtMs = now()
            connection.send(request, (head) => {
              const answeredAtMs = now()
              times[answers++] = answeredAtMs - sentAtMs
              const tag = readEtag(head)
              oldTag ??= tag
              if (tag !== oldTag) firstNewAtMs = Math.min(firstNewAtMs, answeredAtMs)
              else if (sentAtMs > atMs + clockToleranceMs)
                return reject(new Error('A request sent after the boundary got old notes.'))
              if (answeredAtMs < atMs + afterMs) send()
              else resolve()
            })
          }
          send()
        }),
    ),
  )
  await Promise.race([run, failed])
  await closeAll(connections)
  return { lagMs: firstNewAtMs - atMs, p50Ms: quantile([...times.subarray(0, answers).sort()], 0.5) }
}

// Allocated in advance: copying a growing array would count as lag.
const responsesMax = 1_000_000
const clockReadingMs = 20
// The service's clock counts whole milliseconds.
const clockToleranceMs = 1

/** Creates a clock of the system's time with a resolution below 1 ms. */
function createFineClock(): () => number {
  // The difference is largest, and most accurate, when the readings are at the start of a millisecond.
  let origin = 0
  const until = performance.now() + clockReadingMs
  while (performance.now() < until) origin = Math.max(origin, Date.now() - performance.now())
  return () => origin + performance.now()
}

const tagName = Buffer.from('etag: "')
const quote = '"'.charCodeAt(0)

function readEtag(head: Buffer): string {
  const at = head.indexOf(tagName) + tagName.length
  return head.toString('latin1', at, head.indexOf(quote, at))
}

function endOfPeriod(instantMs: number): number {
  return Number(periodAt(BigInt(Math.floor(instantMs / 1000))).end) * 1000
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}
