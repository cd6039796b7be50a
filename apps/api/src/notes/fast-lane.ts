import type { IncomingMessage } from 'node:http'
import { formatChanging, type LaneAnswer, sendLaneAnswer } from '../http/lane-answer.ts'
import type { LaneParts } from '../http/lane-parts.ts'
import { createMeasureLane } from '../http/measure-lane.ts'
import { type Handler, isPlainRequest } from '../http/plain-request.ts'
import type { ClockComparison } from '../time/clock-comparison.ts'
import type { PublishedNotes } from './published-notes.ts'

export type FastLaneParts = LaneParts & {
  readonly published: Pick<PublishedNotes, 'at'>
  readonly chainIds: readonly number[]
  readonly time: Pick<ClockComparison, 'agrees'>
}

/** The answers of one second. */
type Ready = {
  readonly second: number
  readonly etag: string
  readonly whole: LaneAnswer
  readonly unchanged: LaneAnswer
}

/**
 * Answers `GET /notes` as it comes from nearly everyone, ahead of the framework: over HTTP/1.1, with a good key, for all
 * chains or one, the notes in memory. Whatever is different in any way is left to `otherwise`, which has every rule; what
 * is answered here is what it would have answered (docs/decisions/0014-fast-lane.md, and a test that compares them).
 */
export function createFastLane(parts: FastLaneParts, otherwise: Handler): Handler {
  const { writer, keyRing, clock, time, monotonicNow, nextRequestId, isListening } = parts
  const lanes = new Map([undefined, ...parts.chainIds].map((chainId) => [pathOf(chainId), createReady(parts, chainId)]))
  const measure = createMeasureLane(parts.metrics, '/notes')

  return (request, response) => {
    const find = isPlain(request) && isListening() ? lanes.get(request.url as string) : undefined
    if (!find) {
      otherwise(request, response)
      return
    }
    const startedMs = monotonicNow()
    const nowMs = clock.now()
    // At every request: what is kept for a second may be of a second that the clock was set back to.
    const ready = time.agrees(nowMs) ? find(nowMs) : undefined
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
    key.uses.notes++
    const answer = known === undefined ? ready.whole : ready.unchanged
    const changing = formatChanging(nextRequestId(), { window: key.window, rate })
    sendLaneAnswer(response, { writer, answer, changing })
    measure(answer.status, monotonicNow() - startedMs)
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

function isPlain(request: IncomingMessage): boolean {
  return request.method === 'GET' && request.headers['content-length'] === undefined && isPlainRequest(request)
}
