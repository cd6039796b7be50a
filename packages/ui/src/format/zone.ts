import { quietStorage } from '../browser/quiet-storage.ts'
import { createListeners, useSubscribed } from '../hooks/use-subscribed.ts'
import { newYorkZone, viewerZone } from './format-time.ts'

export const zoneChoices = ['new-york', 'utc', 'mine'] as const
export type ZoneChoice = (typeof zoneChoices)[number]

const storageKey = 'tallystick-zone'
const { subscribe, notify } = createListeners()
let chosen: ZoneChoice | undefined

/** Returns the time zone in which the page shows every instant. A component that calls it follows the visitor's choice. */
export function useZone(): string {
  const choice = useZoneChoice()
  if (choice === 'mine') return viewerZone()
  return choice === 'utc' ? 'UTC' : newYorkZone
}

/** Returns the visitor's choice, which is New York until another is made: the protocol's days begin there. */
export function useZoneChoice(): ZoneChoice {
  return useSubscribed(read, subscribe)
}

/** Chooses the zone for all of the page, and for later visits. */
export function chooseZone(choice: ZoneChoice): void {
  chosen = choice
  quietStorage.setItem(storageKey, choice)
  notify()
}

function read(): ZoneChoice {
  const stored = chosen ?? quietStorage.getItem(storageKey)
  chosen = zoneChoices.find((choice) => choice === stored) ?? 'new-york'
  return chosen
}
