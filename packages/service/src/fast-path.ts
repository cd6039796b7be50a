import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import {
  createDateFormatter,
  createSendFast,
  type FastAnswer,
  type Handler,
  isPlainRequest,
  type PrebuiltWriter,
  prebuiltWriter,
  tlsHeaders,
  varyByOrigin,
  verifyPrebuiltWriter,
} from '@tallystick/http'
import type { ClockComparison, PublishedNotes } from '@tallystick/issuer'
import type { Logger } from 'pino'
import { createRespondToData, type FastDataParts, isDataRequest } from './data/fast-path.ts'
import type { Arrival, FastPathParts, Respond } from './routing/fast-path-parts.ts'

type FastNotesParts = {
  readonly published: Pick<PublishedNotes, 'at'>
  readonly chainIds: readonly number[]
  readonly clocks: Pick<ClockComparison, 'agrees'>
}

export type FastPathOptions = Omit<FastPathParts, 'writer' | 'formatDate' | 'headers'> & {
  readonly notes: FastNotesParts
  readonly data: FastDataParts
  readonly server: Pick<Server, 'listening'>
  readonly log: Logger
  readonly writer?: PrebuiltWriter | undefined
}

/**
 * Returns the function that puts the fast path before the framework. If prebuilt responses differ from those of this Node
 * version, it returns the framework's handler unchanged and logs one line.
 */
export async function prepareFastPath(options: FastPathOptions): Promise<(framework: Handler) => Handler> {
  const { log, writer = prebuiltWriter, keyRing, time, metrics, nextRequestId, cors } = options
  const problem = await verifyPrebuiltWriter(writer)
  if (problem !== undefined) {
    log.warn({ node: process.version, problem }, 'fast path disabled: prebuilt responses differ from those of Node')
    return (framework) => framework
  }
  const headers = cors ? { ...tlsHeaders, ...varyByOrigin } : tlsHeaders
  const formatDate = createDateFormatter()
  const parts = { writer, keyRing, time, metrics, nextRequestId, cors, headers, formatDate }
  return (framework) => createFastPath(options, { parts, framework })
}

/**
 * Answers plain `GET /notes` and `POST /data` requests without the framework. Passes every other request to it unchanged,
 * and all of them after the stop signal, when each response has `Connection: close`.
 */
function createFastPath(
  { notes, data, time, server }: FastPathOptions,
  { parts, framework }: { readonly parts: FastPathParts; readonly framework: Handler },
): Handler {
  const notesPaths = new Set([undefined, ...notes.chainIds].map(pathOf))
  const respondToNotes = createRespondToNotes(notes, parts)
  const respondToData = createRespondToData(data, parts)
  const choose = (request: IncomingMessage): Respond | undefined => {
    const { method, url = '', headers } = request
    if (method === 'GET' && notesPaths.has(url) && headers['content-length'] === undefined) return respondToNotes
    return isDataRequest(request) ? respondToData : undefined
  }
  const canServe = (request: IncomingMessage, response: ServerResponse) =>
    server.listening && !response.hasHeader('connection') && isPlainRequest(request)
  /** Requests of this turn of the event loop that are deferred to its end. */
  let waiting = 0

  const handle = (response: ServerResponse, arrival: Arrival, respond: Respond | undefined) => {
    if (!respond?.(response, arrival)) framework(arrival.request, response)
  }
  const handleLater: typeof handle = (response, arrival, respond) => {
    waiting -= 1
    handle(response, arrival, respond)
  }
  return (request, response) => {
    const chosen = choose(request)
    const respond = chosen && canServe(request, response) ? chosen : undefined
    const arrival = { request, startedMs: time.monotonic(), nowMs: time.now() }
    // A request that arrived together with one that waits must not overtake it: both count on one allowance.
    if (respond !== respondToData && waiting === 0) {
      handle(response, arrival, respond)
      return
    }
    waiting += 1
    // Node passes on the body after this event, and before the next tick if it arrived together with the head.
    process.nextTick(handleLater, response, arrival, respond)
  }
}

/** The prepared answers of one second. */
type PreparedAnswers = {
  readonly second: number
  readonly etag: string
  readonly full: FastAnswer
  readonly notModified: FastAnswer
}

/**
 * Creates the function that answers `GET /notes` for all chains or one: with a valid key, notes in memory. The answers
 * equal those of the route (docs/decisions/0014-fast-path-notes.md; a test compares them).
 */
function createRespondToNotes(notes: FastNotesParts, parts: FastPathParts): Respond {
  const { keyRing, cors } = parts
  const finders = new Map(
    [undefined, ...notes.chainIds].map((chainId) => [pathOf(chainId), createFindAnswers(chainId, { notes, parts })]),
  )
  const send = createSendFast('/notes', parts)
  return (response, { request, startedMs, nowMs }) => {
    // Checked for every request: the clock may have been set back to the second of a kept answer.
    const prepared = notes.clocks.agrees(nowMs) ? finders.get(request.url ?? '')?.(nowMs) : undefined
    const { 'x-api-key': secret, 'if-none-match': known, origin } = request.headers
    const key = prepared && typeof secret === 'string' ? keyRing.find(secret, nowMs) : undefined
    if (!prepared || !key?.scopes.has('notes') || key.allows) return false
    if (known !== undefined && known !== prepared.etag) return false
    const rate = key.limit?.take(startedMs)
    if (rate && !rate.allowed) return false
    key.uses.notes++
    const answer = known === undefined ? prepared.full : prepared.notModified
    send(response, { answer, limit: key.limit, rate, corsLines: cors?.linesOf(origin), startedMs })
    return true
  }
}

/**
 * Creates a function that returns the answers for an instant. It keeps them for the second: periods begin and end on whole
 * seconds, and complete sets do not change.
 */
function createFindAnswers(
  chainId: number | undefined,
  { notes, parts }: { readonly notes: FastNotesParts; readonly parts: FastPathParts },
): (nowMs: number) => PreparedAnswers | undefined {
  let kept: PreparedAnswers | undefined
  return (nowMs) => {
    const second = Math.floor(nowMs / 1000)
    if (kept?.second === second) return kept
    const period = notes.published.at(nowMs)
    const answer = period?.answer({ chainId })
    if (!period || !answer?.complete) return undefined
    const { etag, body, log } = answer
    const headers = {
      ...parts.headers,
      date: parts.formatDate(nowMs),
      etag,
      'cache-control': `private, max-age=${Math.floor((period.endMs - nowMs) / 1000)}`,
      'x-tallystick-log': log,
    }
    const bodyHeaders = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(body.length) }
    const prepared: PreparedAnswers = {
      second,
      etag,
      full: createAnswer(200, { headers: { ...headers, ...bodyHeaders }, body: body.toString('latin1') }),
      notModified: createAnswer(304, { headers, body: '' }),
    }
    // In the first millisecond of a second, max-age is 1 s higher, so those answers are not kept.
    kept = nowMs % 1000 === 0 ? undefined : prepared
    return prepared
  }
}

function createAnswer(
  status: FastAnswer['status'],
  { headers, body }: { readonly headers: Readonly<Record<string, string | undefined>>; readonly body: string },
): FastAnswer {
  const present = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [name, value]))
  return { status, headers: present, body, prebuilt: undefined }
}

function pathOf(chainId: number | undefined): string {
  return chainId === undefined ? '/notes' : `/notes?chainid=${chainId}`
}
