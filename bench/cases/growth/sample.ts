import { execFileSync } from 'node:child_process'
import { type Load, measureLoad } from '../../load.ts'
import type { Server, Site } from '../../service.ts'

export const factor = 100
const connections = 16
export const seconds = 3

/** What a service with a given amount of something needs. */
export type Sample = {
  readonly rssMb: number
  /** Milliseconds per request by kind of request. */
  readonly times: Readonly<Record<string, number>>
  /** Milliseconds from the start of the process to the ready line, on a database that a service has used before. */
  readonly startMs?: number | undefined
}

/** Quantity that can grow, and the measurement of the service with a given amount of it. */
export type Dimension = {
  readonly name: string
  readonly once: number
  readonly measure: (count: number, database: string) => Promise<Sample>
  /** Maximum ratios of memory and of time per request for 100 times the amount. */
  readonly atMost: { readonly rss: number; readonly time: number }
}

/** Returns a GET request with a key, or without one. */
export function getOf(path: string, key?: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${key === undefined ? '' : `x-api-key: ${key}\r\n`}\r\n`
}

/**
 * Starts the service again, on what its first start has migrated and signed, and measures the start, the requests one kind
 * after the other, and then the memory. `first` is the process of the first start, if it runs already.
 */
export async function measureRestarted(
  site: Site,
  requests: Readonly<Record<string, Load['request']>>,
  first?: Server,
): Promise<Sample> {
  await stop(first ?? (await site.serve()))
  const startedAt = performance.now()
  const server = await site.serve()
  const startMs = performance.now() - startedAt
  const loads = Object.entries(requests).map(([name, request]): [string, Load] => {
    return [name, { port: server.port, ca: site.ca, request, seconds, connections }]
  })
  return { ...(await measureRunning({ site, server }, { loads: Object.fromEntries(loads) })), startMs }
}

/** Measures each load after one that warms up, and ends the service. */
export async function measureRunning(
  { site, server }: { readonly site: Site; readonly server: Server },
  { loads, isWarm = () => true }: { readonly loads: Readonly<Record<string, Load>>; readonly isWarm?: () => boolean },
): Promise<Sample> {
  const times: Record<string, number> = {}
  for (const [name, load] of Object.entries(loads)) {
    do await measureLoad(load)
    while (!isWarm())
    times[name] = 1000 / (await measureLoad(load)).rate
  }
  const rssMb = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(server.child.pid)])) / 1024
  server.child.kill('SIGKILL')
  site.remove()
  return { rssMb, times }
}

async function stop({ child }: Server): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}
