import type { EventType, KeyScope } from '@tallystick/core'
import type { EventPosition } from './event-frame.ts'
import type { StoredEvent } from './event-store.ts'

/** Events that a stream wants. */
export type EventFilter = {
  /** In the order of `eventTypes`. */
  readonly types: readonly EventType[]
  /** Undefined means every chain. */
  readonly chainId: number | undefined
}

export type EventsRequest = EventFilter & {
  /** Position to resume from. */
  readonly after: EventPosition | undefined
}

/** Creates the function that returns whether an event passes a filter. */
export function createMatches({ types, chainId }: EventFilter): (event: StoredEvent) => boolean {
  return (event) => types.includes(event.type) && (chainId === undefined || chainId === event.chainId)
}

/** Scope that a key needs for events of a type. */
export const scopeOfType: Readonly<Record<EventType, KeyScope>> = { notes: 'notes', rate: 'rate', status: 'rate' }
