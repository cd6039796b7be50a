import { chooseConnectionsMax, readOpenFileLimit } from '@tallystick/http'
import type { PublishedNotes } from '@tallystick/issuer'
import type { KeyRing } from '@tallystick/keys'
import {
  appendEvents,
  type EventStreams,
  type NewEvent,
  type StreamBounds,
  startEventStreams,
  startNotesProducer,
  startStateProducer,
} from '@tallystick/notify'
import type { Config } from '../config/config.ts'
import { type RateParts, readRates } from '../rate/read-rates.ts'
import type { ServiceContext } from '../service-context.ts'

// As the pool watch. A remote subgraph may charge for queries, so a chain that has nothing else is read less often.
const stateMs = 15_000
const remoteStateMs = 60_000

type EventSources = { readonly keyRing: KeyRing; readonly published: PublishedNotes; readonly rate: RateParts }

/** Opens the streams and starts the producers of events. */
export async function startEvents(
  context: ServiceContext,
  { keyRing, published, rate }: EventSources,
): Promise<EventStreams> {
  const { config, database, time, metrics, log, closers, options } = context
  const { hasStateEvents = true } = options
  const bounds = chooseStreamBounds(config)
  const streams = await startEventStreams({ database, keyRing, time, metrics, log, bounds })
  closers.push('event feed', streams.stop)
  const append = async (events: readonly NewEvent[]) => {
    const appended = await appendEvents(database, events)
    for (const { type } of appended) streams.metrics.appended(type)
    return appended
  }
  const chainIds = config.chains.map(({ id }) => id)
  const notes = startNotesProducer({ published, chainIds, time, append, log })
  closers.push('events of notes', notes.stop)
  if (!hasStateEvents) return streams
  const readChainRates = async (chainId: number, nowMs: number) =>
    (await readRates(rate, { chainIds: [chainId], nowMs })).chains[0]
  const intervalsMs = chooseIntervals(config)
  const sources = { database, published, readRates: readChainRates, intervalsMs, time, append, log }
  const states = startStateProducer(sources)
  closers.push('events of states', states.stop)
  return streams
}

function chooseStreamBounds({ listen }: Pick<Config, 'listen'>): StreamBounds {
  const { eventStreamsPerKey: perKeyMax, eventStreamsMax, connectionsMax: configured } = listen
  const { max } = chooseConnectionsMax({ configured, openFileLimit: readOpenFileLimit() })
  // The other connections are for requests.
  return { perKeyMax, max: eventStreamsMax ?? Math.max(1, Math.floor((max * 3) / 4)) }
}

function chooseIntervals({ chains }: Pick<Config, 'chains'>): ReadonlyMap<number, number> {
  const isRemoteOnly = ({ rpc, subgraph }: Config['chains'][number]) => rpc.length === 0 && subgraph?.urls !== undefined
  return new Map(chains.map((chain) => [chain.id, isRemoteOnly(chain) ? remoteStateMs : stateMs]))
}
