import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Counter, formatRate, type Metrics, type RateState, type RateWindow, type Time } from '@tallystick/base'

/**
 * Returns whether the fast path can serve a request: HTTP/1.1 with a valid host, JSON accepted, and no upgrade, `Expect`,
 * `Connection: close` or chunked body.
 */
export function isPlainRequest(request: IncomingMessage): boolean {
  const { httpVersion, headers } = request
  const { accept, connection } = headers
  return (
    httpVersion === '1.1' &&
    (connection === undefined || connection === 'keep-alive') &&
    (accept === undefined || accept === '*/*' || accept === 'application/json') &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    headers.upgrade === undefined &&
    hasValidHost(request)
  )
}

// RFC 9110 §7.2: uri-host and port as RFC 3986 has them. An authority of https is never empty.
const hostForm = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i

/** Returns whether a request names one host, in one valid header. Node keeps the first of two in `headers`. */
export function hasValidHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const { host } = headers
  // HTTP/2 uses this pseudo-header instead. nghttp2 resets a stream that has neither.
  const authority = headers[':authority'] as string | undefined
  if (host === undefined) return httpVersion === '1.0' || (authority !== undefined && hostForm.test(authority))
  if (authority !== undefined && authority.toLowerCase() !== host.toLowerCase()) return false
  return hostForm.test(host) && countHosts(rawHeaders) === 1
}

/** Counts the `Host` lines. Names and values alternate. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}

/** Response of the fast path without the header lines that differ between requests. */
export type FastAnswer = {
  readonly status: 200 | 304
  /** Alternating names and values. */
  readonly headers: readonly string[]
  /** One character per byte (latin1). As one string, head and body are one write. */
  readonly body: string
  /** Set when the response is first sent. */
  prebuilt: PrebuiltResponse | undefined
}

/** Bytes of a response, head and body, split where the lines of each request are inserted. */
type PrebuiltResponse = { readonly before: string; readonly after: string }

/** Functions that build and send prebuilt responses. Tests inject a different writer. */
export type PrebuiltWriter = {
  /** Takes the head that Node has just created and appends the body. Returns undefined if there is no such head. */
  build(
    response: ServerResponse,
    parts: { readonly lines: string; readonly body: string },
  ): PrebuiltResponse | undefined
  /** Sends a prebuilt response with the lines of this request, in one write. */
  send(response: ServerResponse, prebuilt: PrebuiltResponse, lines: string): void
}

/** Undocumented member in which every Node version so far keeps the head of a response. */
type Headed = { _header?: unknown }

/**
 * Writes responses through `_header`. `verifyPrebuiltWriter` compares its bytes with those of `writeHead` and `end` when
 * the service starts.
 */
export const prebuiltWriter: PrebuiltWriter = {
  build: (response, { lines, body }) => {
    const { _header: head } = response as Headed
    if (typeof head !== 'string' || !Object.hasOwn(response, '_header')) return undefined
    const [before, after, ...others] = head.split(lines)
    if (before === undefined || after === undefined || others.length > 0) return undefined
    return { before, after: after + body }
  },
  // Node validated each name and value when it created the head.
  send: (response, { before, after }, lines) => {
    const headed = response as Headed
    headed._header = before + lines + after
    response.end()
    // An idle connection keeps its last response, so the written text is released here. Any text in `_header` marks the
    // head as sent.
    headed._header = before
  },
}

/** Sends a response. Node creates the head of the first one. Later ones reuse it with their own lines. */
export function sendPrebuilt(
  response: ServerResponse,
  { writer, answer, lines }: { readonly writer: PrebuiltWriter; readonly answer: FastAnswer; readonly lines: string },
): void {
  if (answer.prebuilt) {
    response.statusCode = answer.status
    writer.send(response, answer.prebuilt, lines)
    return
  }
  writeHead(response, answer, lines)
  answer.prebuilt = writer.build(response, { lines, body: answer.body })
  response.end(answer.body, 'latin1')
}

/** Writes a head with Node's public functions only. */
export function writeHead(
  response: ServerResponse,
  { status, headers }: Pick<FastAnswer, 'status' | 'headers'>,
  lines: string,
): void {
  response.writeHead(status, [...headers, ...lines.split(/: |\r\n/).slice(0, -1)])
}

/** An answer to one request, its limit after it, and when it arrived. */
type Sending = {
  readonly answer: FastAnswer
  readonly limit: Pick<RateWindow, 'policy'> | undefined
  readonly rate: RateState | undefined
  /** Lines for the origin of the request. */
  readonly corsLines: string | undefined
  readonly startedMs: number
}

type SendFastOptions = {
  readonly writer: PrebuiltWriter
  readonly metrics: Metrics
  readonly nextRequestId: () => string
  readonly time: Pick<Time, 'monotonic'>
}

/** Creates the function that sends answers of a route and counts them, in the same series as the framework's. */
export function createSendFast(
  route: string,
  { writer, metrics, nextRequestId, time }: SendFastOptions,
): (response: ServerResponse, sending: Sending) => void {
  const counters: { 200?: Counter; 304?: Counter } = {}
  let duration: ReturnType<Metrics['histogram']> | undefined
  return (response, { answer, limit, rate, corsLines = '', startedMs }) => {
    const rateLines = limit && rate ? `ratelimit-policy: ${limit.policy}\r\nratelimit: ${formatRate(rate)}\r\n` : ''
    sendPrebuilt(response, { writer, answer, lines: `x-request-id: ${nextRequestId()}\r\n${rateLines}${corsLines}` })
    // On first use: the framework has no series without a request either.
    counters[answer.status] ??= metrics.counter('tallystick_http_requests_total', { route, status: answer.status })
    duration ??= metrics.histogram('tallystick_http_request_duration_seconds', { route })
    counters[answer.status]?.increment()
    duration.observe((time.monotonic() - startedMs) / 1000)
  }
}
