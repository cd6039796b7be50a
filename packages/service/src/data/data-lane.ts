import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gateway, SubgraphAnswer } from '@tallystick/gateway'
import { createMeasureLane, type Handler, isPlainRequest, type LaneAnswer, sendLaneAnswer } from '@tallystick/http'
import { formatChanging } from '../routing/format-changing.ts'
import type { LaneParts } from '../routing/lane-parts.ts'
import { encodeResults } from './encode-results.ts'
import { formatHeads, headsOf } from './format-heads.ts'
import type { KnownRequest, KnownRequests } from './known-requests.ts'

export type DataLaneParts = LaneParts & {
  readonly gateway: Pick<Gateway, 'recall' | 'countHits'>
  readonly knownRequests: KnownRequests
}

/** A plain `POST /data` and when it arrived. */
type Arrival = { readonly request: IncomingMessage; readonly startedMs: number; readonly nowMs: number }

// Below the size at which Node stops reading from a connection until a body is read. The framework does not read a body
// that was put back if it rejects the key or the allowance is spent, and that must not stop the connection.
const bodyBytesMax = 8 * 1024
// Sending a larger answer costs more than the lane saves, and few of them would fill the memory of known requests.
const answerLengthMax = 256 * 1024

/**
 * Answers `POST /data` from memory, ahead of the framework: over HTTP/1.1, with a valid key, with a body whose exact bytes
 * the framework has answered from memory before, while every chain has the answer of its latest block in memory. Every
 * other request goes to `otherwise` unchanged (docs/decisions/0019-data-lane.md; a test compares the two).
 */
export function createDataLane(parts: DataLaneParts, otherwise: Handler): Handler {
  const { clock, monotonicNow, isListening } = parts
  const respond = createRespond(parts)
  /** Requests of this turn of the event loop that are deferred to its end. */
  let waiting = 0

  const later = (request: IncomingMessage, response: ServerResponse, arrival: Arrival | undefined) => {
    waiting -= 1
    if (!arrival || !respond(response, arrival)) otherwise(request, response)
  }
  return (request, response) => {
    const arrival =
      isPlain(request) && isListening() ? { request, startedMs: monotonicNow(), nowMs: clock.now() } : undefined
    // A request that arrived together with one that waits must not overtake it: both count on one allowance.
    if (!arrival && waiting === 0) {
      otherwise(request, response)
      return
    }
    waiting += 1
    // Node passes on the body after this event, and before the next tick if it arrived together with the head.
    process.nextTick(later, request, response, arrival)
  }
}

/** Creates the function that answers a request, or returns false and leaves the request as it was. */
function createRespond(parts: DataLaneParts): (response: ServerResponse, arrival: Arrival) => boolean {
  const { writer, keyRing, gateway, knownRequests, monotonicNow, nextRequestId, cors } = parts
  const measure = createMeasureLane(parts.metrics, '/data')
  const findAnswer = createFindAnswer(parts)

  return (response, { request, startedMs, nowMs }) => {
    if (!hasShortBody(request)) return false
    const bytes: Buffer = request.read()
    const body = bytes.toString('latin1')
    const known = knownRequests.find(body)
    const secret = request.headers['x-api-key']
    const key = known && typeof secret === 'string' ? keyRing.find(secret, nowMs) : undefined
    const answer = known && key?.scopes.has('data') && !key.allows ? findAnswer(known, { body, nowMs }) : undefined
    const rate = answer && key?.limit?.take(startedMs)
    if (!known || !key || !answer || (rate && !rate.allowed)) {
      request.unshift(bytes)
      knownRequests.expect(request, body)
      return false
    }
    key.uses.data++
    gateway.countHits(known.chains)
    const lines = cors?.linesOf(request.headers.origin)
    const changing = formatChanging(nextRequestId(), { limit: key.limit, rate, lines })
    sendLaneAnswer(response, { writer, answer, changing })
    // The body has been read, but not its end, which ends the request.
    request.resume()
    measure(answer.status, monotonicNow() - startedMs)
    return true
  }
}

/** Returns whether all of the body is here, without reading it. `complete` would be set a moment later. */
function hasShortBody({ readableLength, headers }: IncomingMessage): boolean {
  return readableLength > 0 && readableLength <= bodyBytesMax && readableLength === Number(headers['content-length'])
}

/** Creates the function that finds the answer to a known request, and makes it once per second and block. */
function createFindAnswer({ gateway, knownRequests, headers: common, formatDate }: DataLaneParts) {
  return (
    known: KnownRequest,
    { body, nowMs }: { readonly body: string; readonly nowMs: number },
  ): LaneAnswer | undefined => {
    const answers = gateway.recall(known)
    if (!answers) return undefined
    const second = Math.floor(nowMs / 1000)
    const { ready } = known
    if (ready?.second === second && answers.every((answer, index) => answer === ready.answers[index])) {
      return ready.answer
    }
    const results = known.chains.map((chain, index) => ({ chain, answer: answers[index] as SubgraphAnswer }))
    if (results.reduce((length, { answer }) => length + answer.data.length, 0) > answerLengthMax) return undefined
    const bytes = Buffer.from(encodeResults(results))
    const headers = [
      ...Object.entries(common).flat(),
      ...[
        'date',
        formatDate(nowMs),
        'x-tallystick-chains',
        formatHeads(headsOf(results), nowMs),
        'cache-control',
        'no-store',
      ],
      ...['content-type', 'application/json; charset=utf-8', 'content-length', String(bytes.length)],
    ]
    const answer: LaneAnswer = { status: 200, headers, body: bytes.toString('latin1'), premade: undefined }
    knownRequests.keep(body, known, { second, answers, answer })
    return answer
  }
}

function isPlain(request: IncomingMessage): boolean {
  return (
    request.method === 'POST' &&
    request.url === '/data' &&
    request.headers['content-type'] === 'application/json' &&
    isPlainRequest(request)
  )
}
