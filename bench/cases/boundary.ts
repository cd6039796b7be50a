import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Crossing, crossBoundary, endOfPeriod } from '../crossing.ts'
import { median, type Result } from '../result.ts'
import { benchLog, createBenchKey, createSite, setBenchCurve } from '../service.ts'

const boundaries = 5
// Long enough to end the collections of a growing heap: a service in production has been running for hours.
const leadMs = 8_000
const afterMs = 1_000
// Just enough to keep the service busy. More connections would add queueing time to the lag.
const connections = 8
// The service's clock counts whole milliseconds.
const toleranceMs = 1
const shiftedServer = fileURLToPath(new URL('../servers/shifted-server.js', import.meta.url))

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
  const rounds: Crossing[] = []
  let boundaryMs = endOfPeriod(Date.now())
  for (let round = 0; round < boundaries; round++) {
    const server = await site.start([shiftedServer, String(boundaryMs - leadMs)])
    const aheadMs = Number(/^ahead (-?\d+)$/m.exec(server.output)?.[1])
    const target = { port: server.port, ca: site.ca, connections }
    rounds.push(await crossBoundary(target, { request, atMs: boundaryMs - aheadMs, afterMs, toleranceMs }))
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
      target: { valueAtMost: 1 },
    },
  ]
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}
