import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../clock.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { rateWindowSeconds } from '../keys/rate-window.ts'
import type { Metrics } from '../metrics.ts'
import type { NotesAnswer, Published } from './published.ts'

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

/**
 * Answers `GET /notes` as it comes from nearly everyone, ahead of the framework: over HTTP/1.1, with a good key, for all
 * chains or one, the notes in memory. Whatever is different in any way is left to `otherwise`, which has every rule; what
 * is answered here is what it would have answered (docs/decisions/0014-fast-lane.md, and a test that compares them).
 */
export function createFastLane(parts: FastLaneParts, otherwise: Handler): Handler {
  const { published, keyRing, clock, monotonicNow, nextRequestId, formatDate } = parts
  const filters = new Map([undefined, ...parts.chainIds].map((chainId) => [pathOf(chainId), { chainId }]))
  const common = Object.entries(parts.headers).flat()
  const measure = createMeasure(parts.metrics)

  return (request, response) => {
    const startedMs = monotonicNow()
    const nowMs = clock.now()
    const filter = isPlain(request) ? filters.get(request.url as string) : undefined
    const period = filter && published.at(nowMs)
    const answer = period?.answer(filter ?? {})
    const { 'x-api-key': secret, 'if-none-match': known } = request.headers
    const key = answer?.complete && typeof secret === 'string' ? keyRing.find(secret, nowMs) : undefined
    if (!period || !answer || !key?.scopes.has('notes') || (known !== undefined && known !== answer.etag)) {
      otherwise(request, response)
      return
    }
    const rate = key.window?.take(monotonicNow())
    if (rate && !rate.allowed) {
      otherwise(request, response)
      return
    }
    const headers = [
      ...common,
      'date',
      formatDate(nowMs),
      'x-request-id',
      nextRequestId(),
      'etag',
      answer.etag,
      'cache-control',
      `private, max-age=${Math.floor((period.endMs - nowMs) / 1000)}`,
    ]
    if (rate && key.window) {
      headers.push('ratelimit-policy', `"default";q=${key.window.limit};w=${rateWindowSeconds}`)
      headers.push('ratelimit', `"default";r=${rate.remaining};t=${rate.resetSeconds}`)
    }
    send(response, { headers, answer, isKnown: known !== undefined })
    measure(known === undefined ? 200 : 304, monotonicNow() - startedMs)
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

function send(
  response: ServerResponse,
  { headers, answer, isKnown }: { readonly headers: string[]; readonly answer: NotesAnswer; readonly isKnown: boolean },
): void {
  if (isKnown) {
    response.writeHead(304, headers).end()
    return
  }
  headers.push('content-type', 'application/json; charset=utf-8', 'content-length', String(answer.body.length))
  response.writeHead(200, headers).end(answer.body)
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
