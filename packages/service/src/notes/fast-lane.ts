import type { IncomingMessage } from 'node:http'
import { createMeasureLane, type Handler, isPlainRequest, type LaneAnswer, sendLaneAnswer } from '@tallystick/http'
import type { ClockComparison, PublishedNotes } from '@tallystick/issuer'
import { formatChanging } from '../routing/format-changing.ts'
import type { LaneParts } from '../routing/lane-parts.ts'

export type FastLaneParts = LaneParts & {
  readonly published: Pick<PublishedNotes, 'at'>
  readonly chainIds: readonly number[]
  readonly time: Pick<ClockComparison, 'agrees'>
}

/** The prepared answers of one second. */
type PreparedAnswers = {
  readonly second: number
  readonly etag: string
  readonly full: LaneAnswer
  readonly notModified: LaneAnswer
}

/**
 * Answers plain `GET /notes` requests without the framework: HTTP/1.1, a valid key, all chains or one, notes in memory.
 * Passes every other request to `fallback`. The answers equal those of the route
 * (docs/decisions/0014-fast-lane.md; a test compares them).
 */
export function createFastLane(parts: FastLaneParts, fallback: Handler): Handler {
  const { writer, keyRing, clock, time, monotonicNow, nextRequestId, isListening, cors } = parts
  const lanes = new Map(
    [undefined, ...parts.chainIds].map((chainId) => [pathOf(chainId), createAnswerFinder(parts, chainId)]),
  )
  const measure = createMeasureLane(parts.metrics, '/notes')

  return (request, response) => {
    const find = isPlain(request) && isListening() ? lanes.get(request.url as string) : undefined
    if (!find) {
      fallback(request, response)
      return
    }
    const startedMs = monotonicNow()
    const nowMs = clock.now()
    // Checked for every request: the clock may have been set back to the second of a kept answer.
    const prepared = time.agrees(nowMs) ? find(nowMs) : undefined
    const { 'x-api-key': secret, 'if-none-match': known } = request.headers
    const key = prepared && typeof secret === 'string' ? keyRing.find(secret, nowMs) : undefined
    if (!prepared || !key?.scopes.has('notes') || key.allows || (known !== undefined && known !== prepared.etag)) {
      fallback(request, response)
      return
    }
    const rate = key.limit?.take(startedMs)
    if (rate && !rate.allowed) {
      fallback(request, response)
      return
    }
    key.uses.notes++
    const answer = known === undefined ? prepared.full : prepared.notModified
    const lines = cors?.linesOf(request.headers.origin)
    const changing = formatChanging(nextRequestId(), { limit: key.limit, rate, lines })
    sendLaneAnswer(response, { writer, answer, changing })
    measure(answer.status, monotonicNow() - startedMs)
  }
}

/**
 * Creates a function that returns the answers for an instant. It keeps them for the second: periods begin and end on whole
 * seconds, and complete sets do not change.
 */
function createAnswerFinder(
  { published, headers: common, formatDate }: FastLaneParts,
  chainId: number | undefined,
): (nowMs: number) => PreparedAnswers | undefined {
  let kept: PreparedAnswers | undefined
  return (nowMs) => {
    const second = Math.floor(nowMs / 1000)
    if (kept?.second === second) return kept
    const period = published.at(nowMs)
    const answer = period?.answer({ chainId })
    if (!period || !answer?.complete) return undefined
    const { etag, body, log } = answer
    const cacheControl = `private, max-age=${Math.floor((period.endMs - nowMs) / 1000)}`
    const notModifiedHeaders = [
      ...Object.entries(common).flat(),
      ...['date', formatDate(nowMs), 'etag', etag, 'cache-control', cacheControl],
      ...(log === undefined ? [] : ['x-tallystick-log', log]),
    ]
    const bodyHeaders = ['content-type', 'application/json; charset=utf-8', 'content-length', String(body.length)]
    const prepared: PreparedAnswers = {
      second,
      etag,
      full: {
        status: 200,
        headers: [...notModifiedHeaders, ...bodyHeaders],
        body: body.toString('latin1'),
        premade: undefined,
      },
      notModified: { status: 304, headers: notModifiedHeaders, body: '', premade: undefined },
    }
    // In the first millisecond of a second, max-age is 1 s higher, so those answers are not kept.
    kept = nowMs % 1000 === 0 ? undefined : prepared
    return prepared
  }
}

function pathOf(chainId: number | undefined): string {
  return chainId === undefined ? '/notes' : `/notes?chainid=${chainId}`
}

function isPlain(request: IncomingMessage): boolean {
  return request.method === 'GET' && request.headers['content-length'] === undefined && isPlainRequest(request)
}
