import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../clock.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { formatRate } from '../keys/rate-window.ts'
import type { Metrics } from '../metrics.ts'
import type { Published } from './published.ts'

export type FastLaneParts = {
  readonly published: Pick<Published, 'at'>
  readonly keyRing: Pick<KeyRing, 'find'>
  readonly clock: Clock
  readonly monotonicNow: () => number
  readonly metrics: Metrics
  readonly nextRequestId: () => string
  readonly formatDate: (instantMs: number) => string
  /** Those of every answer. */
  readonly headers: Readonly<Record<string, string>>
  readonly chainIds: readonly number[]
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** What an answer is made of, but for what differs from one request to the next. Good for one second. */
type Ready = {
  readonly second: number
  readonly etag: string
  readonly body: Buffer
  /** Names and values in turns. */
  readonly headers: readonly string[]
  readonly headersOfUnchanged: readonly string[]
}

/**
 * Answers `GET /notes` as it comes from nearly everyone, ahead of the framework: over HTTP/1.1, with a good key, for all
 * chains or one, the notes in memory. Whatever is different in any way is left to `otherwise`, which has every rule; what
 * is answered here is what it would have answered (docs/decisions/0014-fast-lane.md, and a test that compares them).
 */
export function createFastLane(parts: FastLaneParts, otherwise: Handler): Handler {
  const { keyRing, clock, monotonicNow, nextRequestId } = parts
  const lanes = new Map([undefined, ...parts.chainIds].map((chainId) => [pathOf(chainId), createReady(parts, chainId)]))
  const measure = createMeasure(parts.metrics)

  return (request, response) => {
    const startedMs = monotonicNow()
    const nowMs = clock.now()
    const ready = isPlain(request) ? lanes.get(request.url as string)?.(nowMs) : undefined
    const { 'x-api-key': secret, 'if-none-match': known } = request.headers
    const key = ready && typeof secret === 'string' ? keyRing.find(secret, nowMs) : undefined
    if (!ready || !key?.scopes.has('notes') || (known !== undefined && known !== ready.etag)) {
      otherwise(request, response)
      return
    }
    const rate = key.window?.take(startedMs)
    if (rate && !rate.allowed) {
      otherwise(request, response)
      return
    }
    const constant = known === undefined ? ready.headers : ready.headersOfUnchanged
    const id = nextRequestId()
    const headers =
      rate && key.window
        ? [...constant, 'x-request-id', id, 'ratelimit-policy', key.window.policy, 'ratelimit', formatRate(rate)]
        : [...constant, 'x-request-id', id]
    if (known === undefined) response.writeHead(200, headers).end(ready.body)
    else response.writeHead(304, headers).end()
    measure(known === undefined ? 200 : 304, monotonicNow() - startedMs)
  }
}

/**
 * Finds what is on offer at an instant, and keeps it for the second: periods begin and end on whole seconds, and a set
 * that is complete stays as it is.
 */
function createReady(
  { published, headers: common, formatDate }: FastLaneParts,
  chainId: number | undefined,
): (nowMs: number) => Ready | undefined {
  let ready: Ready | undefined
  return (nowMs) => {
    const second = Math.floor(nowMs / 1000)
    if (ready?.second === second) return ready
    const period = published.at(nowMs)
    const answer = period?.answer({ chainId })
    if (!period || !answer?.complete) return undefined
    const { etag, body } = answer
    const cacheControl = `private, max-age=${Math.floor((period.endMs - nowMs) / 1000)}`
    const headersOfUnchanged = [
      ...Object.entries(common).flat(),
      ...['date', formatDate(nowMs), 'etag', etag, 'cache-control', cacheControl],
    ]
    const ofBody = ['content-type', 'application/json; charset=utf-8', 'content-length', String(body.length)]
    const made = { second, etag, body, headers: [...headersOfUnchanged, ...ofBody], headersOfUnchanged }
    // A second's first millisecond has one more left than the others: what is made then is not kept for them.
    ready = nowMs % 1000 === 0 ? undefined : made
    return made
  }
}

function pathOf(chainId: number | undefined): string {
  return chainId === undefined ? '/notes' : `/notes?chainid=${chainId}`
}

/** Nothing about it that a rule could be about, but key, path and the notes the client has. */
function isPlain({ method, httpVersionMajor, headers }: IncomingMessage): boolean {
  const { accept } = headers
  return (
    method === 'GET' &&
    httpVersionMajor === 1 &&
    (accept === undefined || accept === '*/*' || accept === 'application/json') &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    headers.upgrade === undefined
  )
}

function createMeasure(metrics: Metrics): (status: 200 | 304, elapsedMs: number) => void {
  const duration = metrics.histogram('tallystick_http_request_duration_seconds', { route: '/notes' })
  const counters = {
    200: metrics.counter('tallystick_http_requests_total', { route: '/notes', status: 200 }),
    304: metrics.counter('tallystick_http_requests_total', { route: '/notes', status: 304 }),
  }
  return (status, elapsedMs) => {
    counters[status].increment()
    duration.observe(elapsedMs / 1000)
  }
}
