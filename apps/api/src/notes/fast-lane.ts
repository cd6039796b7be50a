import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../clock.ts'
import { type PremadeAnswer, premake, sendPremade } from '../http/premade-answer.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { formatRate, type RateState } from '../keys/rate-window.ts'
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

/** What is on offer, ready to be sent. Good for one second. */
type Ready = { readonly second: number; readonly etag: string; readonly whole: Prepared; readonly unchanged: Prepared }

/** An answer but for the lines that differ from one request to the next. */
type Prepared = {
  readonly status: 200 | 304
  /** Names and values in turns. */
  readonly headers: readonly string[]
  /** Byte by byte, whatever its encoding: as one text, head and body are one write. */
  readonly body: string
  /** There once it has been sent. */
  premade: PremadeAnswer | undefined
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
    const answer = known === undefined ? ready.whole : ready.unchanged
    send(response, answer, formatChanging(nextRequestId(), key.window && rate && { policy: key.window.policy, rate }))
    measure(answer.status, monotonicNow() - startedMs)
  }
}

/** The header lines that are of one request only. */
function formatChanging(
  id: string,
  allowance: { readonly policy: string; readonly rate: RateState } | undefined,
): string {
  if (!allowance) return `x-request-id: ${id}\r\n`
  return `x-request-id: ${id}\r\nratelimit-policy: ${allowance.policy}\r\nratelimit: ${formatRate(allowance.rate)}\r\n`
}

/** The first of a second is made by Node; those after it are the same with their own lines. */
function send(response: ServerResponse, answer: Prepared, changing: string): void {
  const { status, headers, body, premade } = answer
  if (premade) {
    response.statusCode = status
    sendPremade(response, premade, changing)
    return
  }
  response.writeHead(status, [...headers, ...changing.split(/: |\r\n/).slice(0, -1)])
  answer.premade = premake(response, { changing, body })
  response.end(body, 'latin1')
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
    const made: Ready = {
      second,
      etag,
      whole: {
        status: 200,
        headers: [...headersOfUnchanged, ...ofBody],
        body: body.toString('latin1'),
        premade: undefined,
      },
      unchanged: { status: 304, headers: headersOfUnchanged, body: '', premade: undefined },
    }
    // A second's first millisecond has one more left than the others: what is made then is not kept for them.
    ready = nowMs % 1000 === 0 ? undefined : made
    return made
  }
}

function pathOf(chainId: number | undefined): string {
  return chainId === undefined ? '/notes' : `/notes?chainid=${chainId}`
}

/** Nothing about it that a rule could be about, but key, path and the notes the client has. */
function isPlain({ method, httpVersion, headers }: IncomingMessage): boolean {
  const { accept, connection } = headers
  return (
    method === 'GET' &&
    httpVersion === '1.1' &&
    (connection === undefined || connection === 'keep-alive') &&
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
