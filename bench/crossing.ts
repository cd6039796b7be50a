import { periodAt } from '@tallystick/core'
import { closeAll, openConnections, quantile, type Target } from './load.ts'

/**
 * What a boundary did under load: the time to the first new notes, the median time of a request, and the 99th percentile
 * of those after the boundary.
 */
export type Crossing = { readonly lagMs: number; readonly p50Ms: number; readonly p99AfterMs: number }

/**
 * Sends requests of `GET /notes` until `afterMs` after the boundary. Throws if one sent after it gets old notes. Each of the
 * `connections` sends one request after the other. Each of the `visitors` pauses in between, as most clients do: a thousand
 * that do not pause would only measure how long they wait for each other.
 */
export async function crossBoundary(
  { visitors = 0, ...target }: Target & { readonly connections: number; readonly visitors?: number },
  {
    request,
    atMs,
    afterMs,
    toleranceMs,
  }: {
    readonly request: Buffer
    readonly atMs: number
    readonly afterMs: number
    /** Largest difference between the clocks of this process and of the service. */
    readonly toleranceMs: number
  },
): Promise<Crossing> {
  const { connections, failed } = await openConnections({ ...target, connections: target.connections + visitors })
  const now = createFineClock()
  const times = new Float64Array(responsesMax)
  let [answers, answersBefore] = [0, 0]
  let oldTag: string | undefined
  let firstNewAtMs = Number.POSITIVE_INFINITY
  const run = Promise.all(
    connections.map(
      (connection, index) =>
        new Promise<void>((resolve, reject) => {
          const send = () => {
            const sentAtMs = now()
            connection.send(request, (head) => {
              const answeredAtMs = now()
              if (sentAtMs < atMs) answersBefore++
              times[answers++] = answeredAtMs - sentAtMs
              const tag = readEtag(head)
              oldTag ??= tag
              if (tag !== oldTag) firstNewAtMs = Math.min(firstNewAtMs, answeredAtMs)
              else if (sentAtMs > atMs + toleranceMs)
                return reject(new Error('A request sent after the boundary got old notes.'))
              if (answeredAtMs >= atMs + afterMs) resolve()
              else if (index < target.connections) send()
              else setTimeout(send, pauseMs)
            })
          }
          setTimeout(send, index < target.connections ? 0 : pauseMs * Math.random())
        }),
    ),
  )
  await Promise.race([run, failed])
  await closeAll(connections)
  const sorted = (from: number) => [...times.slice(from, answers).sort()]
  return {
    lagMs: firstNewAtMs - atMs,
    p50Ms: quantile(sorted(0), 0.5),
    p99AfterMs: quantile(sorted(answersBefore), 0.99),
  }
}

// Of a visitor: a thousand send 500 requests per second.
const pauseMs = 2_000

// Allocated in advance: copying a growing array would count as lag.
const responsesMax = 1_000_000
const clockReadingMs = 20

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

/** Returns the end of the period of an instant. */
export function endOfPeriod(instantMs: number): number {
  return Number(periodAt(BigInt(Math.floor(instantMs / 1000))).end) * 1000
}
