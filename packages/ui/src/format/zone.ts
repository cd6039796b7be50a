import { useEffect, useState } from 'preact/hooks'
import { newYorkZone, viewerZone } from './format-time.ts'

export const zoneChoices = ['new-york', 'utc', 'mine'] as const
export type ZoneChoice = (typeof zoneChoices)[number]

const storageKey = 'tallystick-zone'
const listeners = new Set<() => void>()
let chosen: ZoneChoice | undefined

/** Returns the time zone in which the page shows every instant. A component that calls it follows the visitor's choice. */
export function useZone(): string {
  return zoneOf(useZoneChoice())
}

/** Returns the visitor's choice, which is New York until another is made: the protocol's days begin there. */
export function useZoneChoice(): ZoneChoice {
  const [choice, setChoice] = useState(read)
  useEffect(() => {
    const onChange = () => setChoice(read())
    listeners.add(onChange)
    onChange()
    return () => void listeners.delete(onChange)
  }, [])
  return choice
}

/** Chooses the zone for all of the page, and for later visits. */
export function chooseZone(choice: ZoneChoice): void {
  chosen = choice
  try {
    localStorage.setItem(storageKey, choice)
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
  for (const listener of [...listeners]) listener()
}

function zoneOf(choice: ZoneChoice): string {
  if (choice === 'mine') return viewerZone()
  return choice === 'utc' ? 'UTC' : newYorkZone
}

function read(): ZoneChoice {
  chosen ??= readStored()
  return chosen
}

function readStored(): ZoneChoice {
  try {
    const stored = localStorage.getItem(storageKey)
    return zoneChoices.find((choice) => choice === stored) ?? 'new-york'
  } catch {
    return 'new-york'
  }
}
