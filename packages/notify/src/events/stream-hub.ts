import { beginSlices } from '@tallystick/base'
import { createMatches, type EventFilter } from './event-filter.ts'
import type { EventPosition, FramedEvent } from './event-frame.ts'
import type { EventStream } from './event-stream.ts'

/** Open streams, grouped by their filters. */
export type StreamHub = ReturnType<typeof createStreamHub>

type Group = EventFilter & { readonly streams: Set<EventStream> }
type Job = (group: Group) => ((stream: EventStream) => void) | undefined

/** Creates a hub. `onSent` receives the number of events that were written. */
export function createStreamHub(onSent: (count: number) => void) {
  const groups = new Map<string, Group>()
  const jobs: Job[] = []
  let isRunning = false
  const run = async () => {
    isRunning = true
    for (let job = jobs.shift(); job; job = jobs.shift()) await runJob(job, groups)
    isRunning = false
  }
  const enqueue = (job: Job) => {
    jobs.push(job)
    if (!isRunning) void run()
  }
  return {
    /** Adds a stream that has received everything up to its `sentId`. */
    add: (stream: EventStream) => {
      const key = keyOf(stream)
      const group = groups.get(key) ?? { types: stream.types, chainId: stream.chainId, streams: new Set() }
      groups.set(key, group)
      group.streams.add(stream)
    },
    remove: (stream: EventStream) => {
      const group = groups.get(keyOf(stream))
      if (group?.streams.delete(stream) && group.streams.size === 0) groups.delete(keyOf(stream))
    },
    /** Sends events to the streams whose filters match, in the background and in the order of the calls. */
    sendEvents: (events: readonly FramedEvent[]) =>
      enqueue((group) => createSendEvents(events.filter(createMatches(group)), onSent)),
    /** Sends bytes to every stream and cuts those that stall. Skips streams that have received a later event than the position. */
    sendHeartbeat: (bytes: Buffer, { id }: EventPosition) =>
      enqueue(() => (stream) => {
        stream.cutIfStalled()
        if (stream.sentId <= id) stream.write(bytes)
      }),
    /** Sends bytes to every stream. The events after the position are new to all of them. */
    reset: (bytes: string, { id }: EventPosition) =>
      enqueue(() => (stream) => {
        stream.sentId = id
        stream.write(bytes)
      }),
  }
}

async function runJob(job: Job, groups: ReadonlyMap<string, Group>): Promise<void> {
  const slices = beginSlices()
  for (const group of groups.values()) {
    const send = job(group)
    if (!send) continue
    for (const stream of group.streams) {
      send(stream)
      if (slices.isOver()) await slices.next()
    }
  }
}

/** Returns the function that sends the events of a group to one of its streams, in one write if it has received none. */
function createSendEvents(events: readonly FramedEvent[], onSent: (count: number) => void): ReturnType<Job> {
  const [first] = events
  const last = events.at(-1)
  if (!first || !last) return undefined
  const all = events.length === 1 ? first.frame : Buffer.concat(events.map(({ frame }) => frame))
  return (stream) => {
    // A stream that was added meanwhile has received some of them already.
    const missing = stream.sentId < first.id ? events : events.filter(({ id }) => id > stream.sentId)
    if (missing.length === 0) return
    stream.sentId = last.id
    stream.write(missing === events ? all : Buffer.concat(missing.map(({ frame }) => frame)))
    onSent(missing.length)
  }
}

function keyOf({ types, chainId }: EventFilter): string {
  return `${types}|${chainId ?? ''}`
}
