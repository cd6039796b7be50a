/** The service's time, in Unix milliseconds. Everything that asks what time it is asks this. */
export type Clock = { now(): number }

export type ShiftableClock = Clock & {
  /** Stands still at an instant until `run`. */
  hold(instantMs: number): void
  /** Runs on from where it was held. */
  run(): void
}

/**
 * A clock that reads the system's time afresh at every call, so a step of the system clock (NTP, sleep) is a step of
 * this one; and that can be moved, so that a boundary can be rehearsed.
 */
export function createClock(systemNow: () => number = Date.now): ShiftableClock {
  let offsetMs = 0
  let heldAtMs: number | undefined
  return {
    now: () => heldAtMs ?? systemNow() + offsetMs,
    hold: (instantMs) => {
      heldAtMs = instantMs
    },
    run: () => {
      if (heldAtMs === undefined) return
      offsetMs = heldAtMs - systemNow()
      heldAtMs = undefined
    },
  }
}

/** The second an instant in milliseconds belongs to. */
export function toSeconds(instantMs: number): bigint {
  return BigInt(Math.floor(instantMs / 1000))
}
