import { backoffMs } from '@tallystick/base/pure'
import type { Clock } from '../environment.ts'
import { MalformedAnswerError } from '../errors.ts'
import type { Connection } from '../http/connection.ts'
import { chunksOf, readText } from '../http/read-body.ts'
import { errorOfAnswer, isRefusal } from '../http/request-errors.ts'
import { initOf } from '../http/request-json.ts'
import { pause } from '../http/with-deadline.ts'
import { createEventParser, type EventParser, type ServerEvent } from './event-parser.ts'

export type FollowEventsOptions = {
  /** Query string of `GET /events`. */
  readonly query: string
  readonly signal: AbortSignal
  readonly onEvent: (event: ServerEvent) => void
  /** Called when a stream begins to deliver, and when it ends. */
  readonly onLive: (isLive: boolean) => void
}

/** `refused`: by the service, for good. `unsupported`: no stream was ever delivered this way. */
type Outcome = 'refused' | 'unsupported' | 'ended'

// The service sends a greeting at once and a heartbeat every 15 s.
const greetingMs = 10_000
const silenceMs = 45_000
// A stream that lived this long resets the backoff.
const stableMs = 10_000
const backoff = { minMs: 1_000, maxMs: 300_000 }

/**
 * Reads the events of the service until it is stopped. Connects again after a failure, from the last event. Ends if the
 * service refuses it, and before a stream has delivered also if there is none or a proxy holds it back. Never throws.
 */
export async function followEvents(connection: Connection, options: FollowEventsOptions): Promise<void> {
  const { clock, random } = connection.environment
  const { query, signal, onEvent, onLive } = options
  let lastEventId = ''
  let failures = 0
  let hasDelivered = false
  while (!signal.aborted) {
    const parser = createEventParser(lastEventId, onEvent)
    let greetedAt: number | undefined
    const onGreeting = () => {
      greetedAt = clock.read().monotonic
      hasDelivered = true
      onLive(true)
    }
    const outcome = await readEvents(connection, { query, signal, parser, onGreeting })
    if (greetedAt !== undefined) onLive(false)
    if (outcome === 'refused' || (outcome === 'unsupported' && !hasDelivered)) return
    lastEventId = parser.lastEventId
    const livedMs = clock.read().monotonic - (greetedAt ?? Number.POSITIVE_INFINITY)
    failures = livedMs >= stableMs ? 0 : failures + 1
    const delayMs = backoffMs(failures, { ...backoff, random })
    await pause(clock, { delayMs, signals: [signal] }).catch(() => undefined)
  }
}

type ReadOptions = Pick<FollowEventsOptions, 'query' | 'signal'> & {
  readonly parser: EventParser
  readonly onGreeting: () => void
}

/** Reads one stream to its end. */
async function readEvents(
  connection: Connection,
  { query, signal, parser, onGreeting }: ReadOptions,
): Promise<Outcome> {
  const { environment, baseUrl, urlOption, apiKey } = connection
  const controller = new AbortController()
  const stop = () => controller.abort()
  signal.addEventListener('abort', stop)
  const watchdog = createWatchdog(environment.clock, stop)
  let isGreeted = false
  let response: Response | undefined
  try {
    watchdog.expectWithin(greetingMs)
    const { lastEventId } = parser
    const resume = lastEventId !== '' && { 'last-event-id': lastEventId }
    const init = initOf({ accept: 'text/event-stream', ...resume }, { apiKey, signal: controller.signal })
    response = await environment.fetch(`${baseUrl}/events${query}`, init)
    if (!isEventStream(response)) return await judgeAnswer(response, { option: urlOption, signal: controller.signal })
    const decoder = new TextDecoder()
    for await (const chunk of chunksOf(response.body, controller.signal)) {
      if (!isGreeted) onGreeting()
      isGreeted = true
      watchdog.expectWithin(silenceMs)
      parser.feed(decoder.decode(chunk, { stream: true }))
    }
    return 'ended'
  } catch (error) {
    // A connection without a greeting is held back by a proxy.
    const isHeldBack = watchdog.hasFired() && !isGreeted
    return isHeldBack || error instanceof MalformedAnswerError ? 'unsupported' : 'ended'
  } finally {
    watchdog.stop()
    signal.removeEventListener('abort', stop)
    // Also ends a response whose body is not read, on which the abort may have no effect (see `chunksOf`).
    stop()
    response?.body?.cancel().catch(() => undefined)
  }
}

type StreamResponse = Response & { readonly body: ReadableStream<Uint8Array> }

/** Returns whether a response is a stream that this implementation of fetch can read piece by piece. */
function isEventStream(response: Response): response is StreamResponse {
  const type = response.headers.get('content-type') ?? ''
  return response.status === 200 && /^text\/event-stream\b/i.test(type) && response.body != null
}

async function judgeAnswer(
  response: Response,
  { option, signal }: { readonly option: string; readonly signal: AbortSignal },
): Promise<Outcome> {
  const { ok, status } = response
  if (ok) return 'unsupported'
  if (status === 408 || status === 429 || status >= 500) return 'ended'
  const error = errorOfAnswer(response, { endpoint: 'GET /events', text: await readText(response, signal), option })
  return isRefusal(error) ? 'refused' : 'unsupported'
}

/** Creates a timer that `expectWithin` restarts, and that calls `onSilence` when it ends. */
function createWatchdog(clock: Clock, onSilence: () => void) {
  let timer: unknown
  let hasFired = false
  return {
    expectWithin: (ms: number) => {
      clock.clearTimeout(timer)
      timer = clock.setTimeout(() => {
        hasFired = true
        onSilence()
      }, ms)
    },
    hasFired: () => hasFired,
    stop: () => clock.clearTimeout(timer),
  }
}
