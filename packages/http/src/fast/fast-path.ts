import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Counter, keepTickObject, type Metrics, type Time } from '@tallystick/base'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { AddHandler, Handler, ListeningServer } from '../connection/connections.ts'
import {
  type FastAnswer,
  type PlainHeaders,
  type PrebuiltWriter,
  prebuiltWriter,
  readPlainHeaders,
  sendPrebuilt,
  writeHead,
} from '../head.ts'
import { matchesEtag } from '../response/matches-etag.ts'
import { createPrepare, type PreparedAnswer } from './prepare-answer.ts'
import { type AnswerSource, noteRequest, type RememberedRoute } from './remember-answers.ts'
import { verifyPrebuiltWriter } from './verify-prebuilt-writer.ts'

/** A plain request and when it arrived. */
type Arrival = {
  readonly request: IncomingMessage
  readonly headers: PlainHeaders
  readonly socket: IncomingMessage['socket']
  readonly startedMs: number
  readonly nowMs: number
}

export type FastPathOptions = {
  /**
   * Checks and counts a request as the framework does. Returns the header lines of its answer, or undefined if the framework
   * has to reject it. A request that is counted is answered.
   */
  readonly admit: (route: RememberedRoute, arrival: Arrival) => string | undefined
  /** Returns the constant headers of all answers of a route. */
  readonly headersOf: (route: RememberedRoute) => Readonly<Record<string, string>>
  readonly time: Pick<Time, 'now' | 'monotonic'>
  readonly metrics: Metrics
  readonly log: Logger
  readonly nextRequestId: () => string
  readonly writer?: PrebuiltWriter | undefined
}

/**
 * Returns the function that puts the fast path before the framework (docs/decisions/0077-one-fast-path.md). If prebuilt
 * responses differ from those of this Node version, it returns the framework's handler unchanged and logs one line.
 */
export async function prepareFastPath(options: FastPathOptions): Promise<AddHandler> {
  const { log, writer = prebuiltWriter } = options
  keepTickObject()
  const problem = await verifyPrebuiltWriter(writer)
  if (problem === undefined) {
    return (framework, server) => createFastPath({ ...options, writer }, { framework, server })
  }
  log.warn({ node: process.version, problem }, 'fast path disabled: prebuilt responses differ from those of Node')
  return (framework) => framework
}

// Below the size at which Node stops reading from a connection until a body is read. The framework does not read a body
// that was put back if it rejects the key or the allowance is spent, and that must not stop the connection.
const keyLengthMax = 8 * 1024
// Sending a larger answer costs more than the fast path saves, and few of them would fill the memory.
const bodyLengthMax = 256 * 1024
// One client sends one or two requests per wallet, each of about 5 KB with its answer.
const countMax = 4_000
const bytesMax = 16 * 1024 * 1024
// Approximate size of the objects, and of the head of an answer.
const entryBytes = 500
const readyBytes = 2_000

/** A request whose exact bytes the framework has accepted. */
type Remembered = {
  readonly route: RememberedRoute
  readonly source: AnswerSource
  readonly ready: PreparedAnswer | undefined
}

type Answerable = Remembered & { readonly ready: PreparedAnswer }

/**
 * Answers plain requests whose answer is in memory. Passes every other request to the framework unchanged, and all of them
 * during a shutdown, when each response has `Connection: close`.
 */
function createFastPath(
  options: FastPathOptions & { readonly writer: PrebuiltWriter },
  { framework, server }: { readonly framework: Handler; readonly server: ListeningServer },
): Handler {
  const { admit, time } = options
  const remembered = new LRUCache<string, Remembered>({ max: countMax, maxSize: bytesMax })
  const prepare = createPrepare(options.headersOf)
  const send = createSend(options)

  /** Finds the prepared answer of a remembered request. */
  const find = (key: string, { nowMs }: Arrival): Answerable | undefined => {
    const known = remembered.get(key)
    const found = known?.source.recall(nowMs)
    if (!known || !found) return undefined
    if (known.ready?.found === found && known.ready.second === Math.floor(nowMs / 1000)) return known as Answerable
    const entry = { ...known, ready: prepare(known, { found, nowMs }) }
    const { length } = entry.ready.full.body
    if (length > bodyLengthMax) remembered.delete(key)
    // A new object: lru-cache keeps the old size of an entry whose value is the same object.
    else remembered.set(key, entry, { size: sizeOf(key) + 3 * length + readyBytes })
    return entry
  }

  /** Answers a plain request, or returns false and leaves it as it was. */
  const respond = (response: ServerResponse, arrival: Arrival): boolean => {
    const { request, headers } = arrival
    const bytes = request.method === 'GET' ? undefined : readBody(request, headers)
    if (bytes === null) return false
    const key = keyOf(request.url, headers, bytes?.toString('latin1'))
    const known = find(key, arrival)
    const lines = known && admit(known.route, arrival)
    if (!known || lines === undefined) {
      if (bytes) request.unshift(bytes)
      if (key.length <= keyLengthMax) {
        noteRequest(request, (route, source) => {
          remembered.set(key, { route, source, ready: undefined }, { size: sizeOf(key) })
        })
      }
      return false
    }
    const { etag, full, notModified } = known.ready
    const { 'if-none-match': condition } = headers
    const isKnown = etag !== undefined && condition !== undefined && matchesEtag(condition, etag)
    known.source.countSent?.()
    send(response, arrival, { route: known.route.url, answer: isKnown ? notModified : full, lines })
    // The body has been read, but not its end, which ends the request.
    if (bytes) request.resume()
    return true
  }

  /** Requests of this turn of the event loop that are deferred to its end. */
  let waiting = 0
  const handle = (request: IncomingMessage, response: ServerResponse, arrival: Arrival | undefined) => {
    if (!arrival || !respond(response, arrival)) framework(request, response)
  }
  const handleLater: typeof handle = (...handled) => {
    waiting -= 1
    handle(...handled)
  }
  return (request, response) => {
    const headers = server.listening && !response.hasHeader('connection') ? readPlainHeaders(request) : undefined
    const { socket } = request
    const arrival = headers && { request, headers, socket, startedMs: time.monotonic(), nowMs: time.now() }
    // A request that arrived together with one that waits must not overtake it: both count on one allowance.
    if (waiting === 0 && (!arrival || request.method === 'GET')) {
      handle(request, response, arrival)
      return
    }
    waiting += 1
    // Node passes on the body after this event, and before the next tick if it arrived together with the head.
    process.nextTick(handleLater, request, response, arrival)
  }
}

/** Reads the body if all of it is here. Otherwise returns null. `complete` would be set a moment later. */
function readBody(request: IncomingMessage, headers: PlainHeaders): Buffer | null {
  const { readableLength } = request
  const isHere =
    readableLength > 0 && readableLength <= keyLengthMax && readableLength === Number(headers['content-length'])
  return isHere ? (request.read() as Buffer) : null
}

/** Returns a text that is the same for two plain requests only if a route cannot tell them apart, besides their keys. */
function keyOf(url = '', { accept, 'content-type': type = '' }: PlainHeaders, body: string | undefined): string {
  if (body !== undefined) return `${url}\n${accept ?? ''}\n${type}\n${body}`
  return accept === undefined ? url : `${url}\n${accept}`
}

function sizeOf(key: string): number {
  return 2 * key.length + entryBytes
}

type Series = { 200?: Counter; 304?: Counter; readonly duration: ReturnType<Metrics['histogram']> }

type Sending = { readonly route: string; readonly answer: FastAnswer; readonly lines: string }

/** Creates the function that sends answers and counts them, in the same series as the framework's. */
function createSend({
  writer,
  metrics,
  nextRequestId,
  time,
}: Pick<FastPathOptions, 'metrics' | 'nextRequestId' | 'time'> & { readonly writer: PrebuiltWriter }) {
  const seriesOf = new Map<string, Series>()
  return (response: ServerResponse, { request, startedMs }: Arrival, { route, answer, lines }: Sending) => {
    const ownLines = `x-request-id: ${nextRequestId()}\r\n${lines}`
    if (request.httpVersionMajor === 1) sendPrebuilt(response, { writer, answer, lines: ownLines })
    else {
      writeHead(response, answer, ownLines)
      response.end(answer.body, 'latin1')
    }
    let series = seriesOf.get(route)
    if (!series) {
      series = { duration: metrics.histogram('tallystick_http_request_duration_seconds', { route }) }
      seriesOf.set(route, series)
    }
    // On first use: the framework has no series without a request either.
    series[answer.status] ??= metrics.counter('tallystick_http_requests_total', { route, status: answer.status })
    series[answer.status]?.increment()
    series.duration.observe((time.monotonic() - startedMs) / 1000)
  }
}
