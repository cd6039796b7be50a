import { chooseConnectionsMax, readOpenFileLimit } from '@tallystick/http'
import type { PublishedNotes } from '@tallystick/issuer'
import type { KeyRing } from '@tallystick/keys'
import {
  appendEvents,
  type EventStreams,
  type NewEvent,
  openEventStreams,
  type StreamBounds,
  startNotesProducer,
  startStateProducer,
} from '@tallystick/notify'
import type { Config } from '../config/config.ts'
import { type RateParts, readRates } from '../rate/read-rates.ts'
import type { ServiceContext } from '../service-context.ts'

export type EventsContext = ServiceContext & {
  readonly keyRing: KeyRing
  readonly published: PublishedNotes
  readonly rate: RateParts
}

// As the pool watch. A remote subgraph may charge for queries, so a chain that has nothing else is read less often.
const stateMsDefault = 15_000
const remoteStateMs = 60_000

/** Opens the streams and starts the producers of events. */
export async function startEvents(context: EventsContext): Promise<EventStreams> {
  const { config, database, published, rate, schedulerTime, eventTimes, closers } = context
  const heartbeatMs = eventTimes?.heartbeatMs
  const streams = await openEventStreams({ ...context, bounds: chooseStreamBounds(config), heartbeatMs })
  closers.push('event feed', streams.stop)
  const append = async (events: readonly NewEvent[]) => {
    const appended = await appendEvents(database, events)
    for (const { type } of appended) streams.metrics.appended(type)
    return appended
  }
  const shared = { ...context, append, tickMs: schedulerTime?.tickMs }
  const notes = startNotesProducer({ ...shared, chainIds: config.chains.map(({ id }) => id) })
  closers.push('events of notes', notes.stop)
  if (eventTimes?.stateMs === null) return streams
  const states = startStateProducer({
    ...shared,
    published,
    intervalsMs: chooseIntervals(config, eventTimes?.stateMs),
    readRates: async (chainId, nowMs) => (await readRates(rate, { chainIds: [chainId], nowMs })).chains[0],
  })
  closers.push('events of states', states.stop)
  return streams
}

function chooseStreamBounds({ listen }: Pick<Config, 'listen'>): StreamBounds {
  const { eventStreamsPerKey: perKeyMax, eventStreamsMax, connectionsMax: configured } = listen
  const { max } = chooseConnectionsMax({ configured, openFileLimit: readOpenFileLimit() })
  // The other connections are for requests.
  return { perKeyMax, max: eventStreamsMax ?? Math.max(1, Math.floor((max * 3) / 4)) }
}

function chooseIntervals({ chains }: Pick<Config, 'chains'>, stateMs: number | undefined): ReadonlyMap<number, number> {
  const isRemoteOnly = ({ rpc, subgraph }: Config['chains'][number]) => rpc.length === 0 && subgraph?.urls !== undefined
  return new Map(chains.map((chain) => [chain.id, stateMs ?? (isRemoteOnly(chain) ? remoteStateMs : stateMsDefault)]))
}
