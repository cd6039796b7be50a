import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { inSlices, type Metrics, repeat, runOneAtATime, type Time, toSeconds } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import type { KeyRing, RingKey } from '@tallystick/keys'
import type { Logger } from 'pino'
import { type EventsRequest, scopeOfType } from './event-filter.ts'
import { type EventPosition, formatHeartbeat, formatHello, formatReset } from './event-frame.ts'
import { createEventMetrics, type EventMetrics } from './event-metrics.ts'
import { createEventStream, type EventStream } from './event-stream.ts'
import { createPastEvents, findStart, type ReplayParts, replayEvents } from './replay-events.ts'
import { startEventFeed } from './start-event-feed.ts'
import { createStreamHub, type StreamHub } from './stream-hub.ts'
import { createStreamSlots, type StreamBounds, type StreamSlots } from './stream-slots.ts'

export type EventStreams = {
  /** Opens a stream. Calls `begin` once nothing can fail any more. */
  open(request: StreamRequest, target: StreamTarget): Promise<void>
  readonly metrics: EventMetrics
  /** Ends all streams and refuses new ones. */
  end(): void
  stop(): Promise<void>
}

type StreamRequest = EventsRequest & {
  readonly key: Pick<RingKey, 'id'>
  readonly keyHash: string
}

type StreamTarget = {
  readonly response: ServerResponse
  /** Sends the headers and returns what the body is written to. */
  readonly begin: () => Writable
}

export type EventStreamsOptions = {
  readonly database: Database
  readonly keyRing: Pick<KeyRing, 'findByHash' | 'onChange'>
  readonly time: Time
  readonly metrics: Metrics
  readonly log: Logger
  readonly bounds: StreamBounds
}

// Shorter than the idle timeout of common proxies, which is 60 s.
const heartbeatMs = 15_000
// Ends streams of expired keys within a second.
const keyCheckMs = 250

type Parts = ReplayParts & {
  readonly hub: StreamHub
  /** All streams, also those that are not in the hub yet. */
  readonly open: Set<EventStream>
  readonly slots: StreamSlots
  readonly eventMetrics: EventMetrics
}

/** Starts the streams of `GET /events`: follows the events and sends them to all streams. */
export async function startEventStreams(options: EventStreamsOptions): Promise<EventStreams> {
  const { database, keyRing, time, metrics, log, bounds } = options
  const eventMetrics = createEventMetrics(metrics, () => slots.used)
  const slots = createStreamSlots(bounds, eventMetrics.refused)
  const hub = createStreamHub(eventMetrics.sent)
  const open = new Set<EventStream>()
  const onReset = (position: EventPosition) => hub.reset(formatReset(position), position)
  const feed = await startEventFeed({ database, time, log, onEvents: hub.sendEvents, onReset })
  const past = createPastEvents(database)
  const parts: Parts = { feed, past, hub, open, slots, eventMetrics, onSent: eventMetrics.sent }

  const checkKeys = runOneAtATime(() => endWithoutKey(open, { keyRing, nowMs: time.now() }))
  keyRing.onChange(checkKeys)
  const keyCheck = repeat(time, { name: 'keys of streams', ms: keyCheckMs }, checkKeys)
  const heartbeat = repeat(time, { name: 'heartbeat', ms: heartbeatMs }, () => {
    hub.sendHeartbeat(formatHeartbeat(feed.position), feed.position)
  })
  return {
    metrics: eventMetrics,
    open: (request, target) => openStream(parts, { request, target, nowSeconds: toSeconds(time.now()) }),
    end: () => {
      slots.close()
      void inSlices(open, (stream) => stream.end('stop'))
    },
    stop: async () => {
      keyCheck.stop()
      heartbeat.stop()
      await feed.stop()
    },
  }
}

async function openStream(
  parts: Parts,
  {
    request: { types, chainId, after, key, keyHash },
    target: { response, begin },
    nowSeconds,
  }: { readonly request: StreamRequest; readonly target: StreamTarget; readonly nowSeconds: bigint },
): Promise<void> {
  const { feed, past, hub, open, slots, eventMetrics } = parts
  const free = slots.take(key.id)
  let isGone = false
  response.once('close', () => {
    isGone = true
  })
  const { position, isReset, resets } = await findStart({ feed, past, nowSeconds }, after)
    .finally(slots.assertOpen)
    .catch((error) => {
      free()
      throw error
    })
  if (isGone) return free()
  const stream = createEventStream(
    { response, output: begin() },
    {
      types,
      chainId,
      keyHash,
      sentId: position.id,
      scopes: types.map((type) => scopeOfType[type]),
      onEnd: (reason) => {
        free()
        open.delete(stream)
        hub.remove(stream)
        eventMetrics.ended(reason)
      },
    },
  )
  open.add(stream)
  stream.write(formatHello(position))
  if (isReset) stream.write(formatReset(position))
  await replayEvents(parts, { stream, resets }).catch(() => stream.end('failed'))
}

/** Ends the streams whose key is no longer in force or has lost one of their scopes. It looks up each key once. */
async function endWithoutKey(
  streams: Iterable<EventStream>,
  { keyRing, nowMs }: { readonly keyRing: Pick<KeyRing, 'findByHash'>; readonly nowMs: number },
): Promise<void> {
  const known = new Map<string, RingKey | undefined>()
  await inSlices(streams, (stream) => {
    const { keyHash, scopes } = stream
    if (!known.has(keyHash)) known.set(keyHash, keyRing.findByHash(keyHash, nowMs))
    if (!scopes.every((scope) => known.get(keyHash)?.scopes.has(scope))) stream.end('key')
  })
}
