/** UTC days on which keys are used. */
export type UseDays = {
  /** Notes a use. Call it before the use is counted. */
  note(nowMs: number): void
  /** Day of the last use. Undefined before the first. */
  readonly last: number | undefined
  /** Calls `listener` with the day of the last use when the next one is on another day, before it is counted. */
  onEnd(listener: (day: number) => void): void
}

const dayMs = 86_400_000

/** Returns the number of a UTC day. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / dayMs)
}

export function createUseDays(): UseDays {
  const listeners: ((day: number) => void)[] = []
  let last: number | undefined
  return {
    note: (nowMs) => {
      const day = dayOf(nowMs)
      if (day === last) return
      if (last !== undefined) for (const listener of listeners) listener(last)
      last = day
    },
    get last() {
      return last
    },
    onEnd: (listener) => listeners.push(listener),
  }
}
