import { useState } from 'preact/hooks'
import type { Slot } from './step-series.ts'

/** Chosen slot of a chart and its table. */
export type SlotChoice = {
  /** Ascending. */
  readonly slots: readonly Slot[]
  readonly index: number
  /** Chooses the slot that begins at an instant. */
  readonly onChoose: (start: number) => void
}

/** Returns the choice of a slot: the newest, until the visitor chooses another. */
export function useSlotChoice(slots: readonly Slot[]): SlotChoice {
  const [start, setStart] = useState<number | undefined>(undefined)
  const found = slots.findIndex((slot) => slot.start === start)
  return { slots, index: found === -1 ? slots.length - 1 : found, onChoose: setStart }
}
