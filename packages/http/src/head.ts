import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

// RFC 9110 §7.2: uri-host and port as RFC 3986 has them. An authority of https is never empty.
const hostForm = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i

/** Returns whether a request names one host, in one valid header. Node keeps the first of two in `headers`. */
export function hasValidHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const authority = headers[':authority'] as string | undefined
  if (headers.host === undefined && httpVersion === '1.0') return true
  return namesHost({ host: headers.host, ':authority': authority }) && countHosts(rawHeaders) <= 1
}

/** HTTP/2 uses the pseudo-header instead. nghttp2 resets a stream that has neither. */
function namesHost({ host, ':authority': authority }: Pick<PlainHeaders, 'host' | ':authority'>): boolean {
  const name = host ?? authority
  if (name === undefined || !hostForm.test(name)) return false
  return authority === undefined || authority.toLowerCase() === name.toLowerCase()
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

const plainNames = [
  ...(['host', ':authority', 'connection', 'upgrade', 'expect', 'transfer-encoding', 'content-length'] as const),
  ...(['accept', 'content-type', 'if-none-match', 'x-api-key', 'origin'] as const),
  ...(['x-forwarded-for', 'x-forwarded-proto'] as const),
]

/** Headers that decide whether and how the fast path answers a request. */
export type PlainHeaders = Readonly<Record<(typeof plainNames)[number], string | undefined>>

const noHeaders = Object.fromEntries(plainNames.map((name) => [name, undefined])) as PlainHeaders
const plainNamesOfLength = Array.from({ length: 20 }, (_, length) =>
  plainNames.filter((name) => name.length === length),
)

/**
 * Reads the headers that decide how a request is answered. Returns undefined if one of them occurs twice, if they change how
 * the response or its connection is handled, or if the request is not GET, or POST over HTTP/1.1. It reads the raw headers,
 * where names and values alternate: Node's `headers` would create an object of all of them.
 */
export function readPlainHeaders({ method, httpVersion, rawHeaders }: IncomingMessage): PlainHeaders | undefined {
  const isGet = method === 'GET' && httpVersion !== '1.0'
  if (!isGet && (method !== 'POST' || httpVersion !== '1.1')) return undefined
  const found: Record<keyof PlainHeaders, string | undefined> = { ...noHeaders }
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const rawName = rawHeaders[index] as string
    const candidates = plainNamesOfLength[rawName.length]
    if (!candidates || candidates.length === 0) continue
    const name = rawName.toLowerCase()
    for (const candidate of candidates) {
      if (candidate !== name) continue
      if (found[candidate] !== undefined) return undefined
      found[candidate] = rawHeaders[index + 1]
    }
  }
  const { connection } = found
  const isPlain =
    (connection === undefined || connection === 'keep-alive') &&
    (!isGet || found['content-length'] === undefined) &&
    found['transfer-encoding'] === undefined &&
    found.expect === undefined &&
    found.upgrade === undefined
  return isPlain && namesHost(found) ? found : undefined
}

/** Creates request ids that are unique across restarts and replicas: a random prefix and a counter. */
export function createRequestIds(): () => string {
  const start = randomBytes(6).toString('hex')
  let count = 0
  return () => `${start}-${(count++).toString(36)}`
}

export type FormatDate = (instantMs: number) => string

/** Creates the formatter of the Date header (RFC 9110 §5.6.7). It formats once per second. */
export function createDateFormatter(): FormatDate {
  let second = Number.NaN
  let text = ''
  return (instantMs) => {
    const current = Math.floor(instantMs / 1000)
    if (current !== second) {
      second = current
      text = new Date(current * 1000).toUTCString()
    }
    return text
  }
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

/** Sends a response over HTTP/1.1. Node creates the head of the first one. Later ones reuse it with their own lines. */
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
